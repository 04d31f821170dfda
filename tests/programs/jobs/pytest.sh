# SPDX-License-Identifier: MIT
mkdir proj && cd proj && cat >test_it.py <<'END'
import pytest, asyncio, threading
@pytest.fixture
def numbers(tmp_path): (tmp_path / "n").write_text("1 2 3"); return tmp_path
def test_file(numbers): assert (numbers / "n").read_text().split() == ["1", "2", "3"]
@pytest.mark.parametrize("n", range(20))
def test_square(n): assert n * n == sum(range(1, 2 * n, 2))
def test_thread():
    seen = []; t = threading.Thread(target=seen.append, args=(1,)); t.start(); t.join(); assert seen == [1]
def test_fails(): assert [1, 2] == [1, 3]
END
python3 -m pytest -q -p no:cacheprovider 2>&1 | sed 's/ in [0-9.]*s//'
