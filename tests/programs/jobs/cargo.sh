# SPDX-License-Identifier: MIT
# options: cores=4
export CARGO_HOME=$PWD/h USER=u; cargo init --quiet --vcs none --name p p 2>/dev/null && cd p
cat >src/main.rs <<'END'
fn sq(n: u64) -> u64 { n * n }
fn main() { println!("{}", (0..100).map(sq).sum::<u64>()); }
#[cfg(test)]
mod tests { #[test] fn one() { assert_eq!(super::sq(3), 9); } #[test] fn two() { assert_eq!(super::sq(0), 0); } }
END
cargo build --offline --quiet && cargo run --offline --quiet && cargo test --offline --quiet 2>&1 | grep -E '^test result' | sed 's/; finished.*//'
