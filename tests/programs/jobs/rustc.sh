# SPDX-License-Identifier: MIT
# options: cores=4
cat >a.rs <<'END'
use std::collections::BTreeMap;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let (tx, rx) = mpsc::channel();
    let hs: Vec<_> = (0..4u64).map(|i| { let t = total.clone(); let tx = tx.clone(); thread::spawn(move || { for k in 0..1000 { *t.lock().unwrap() += i * k; } tx.send(i).unwrap(); }) }).collect();
    for h in hs { h.join().unwrap(); }
    drop(tx);
    let mut got: Vec<u64> = rx.iter().collect(); got.sort();
    let mut m = BTreeMap::new(); for w in "a b a c b a".split(' ') { *m.entry(w).or_insert(0) += 1; }
    println!("{} {:?} {:?}", *total.lock().unwrap(), got, m);
    let r = thread::spawn(|| panic!("on purpose")).join(); println!("{}", r.is_err());
}
END
rustc -O a.rs && ./a 2>/dev/null
