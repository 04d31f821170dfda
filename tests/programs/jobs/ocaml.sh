# SPDX-License-Identifier: MIT
cat >a.ml <<'END'
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
module M = Map.Make (String)
let () =
  Printf.printf "%d\n" (fib 22);
  let m = List.fold_left (fun m w -> M.update w (function None -> Some 1 | Some n -> Some (n + 1)) m) M.empty [ "a"; "b"; "a" ] in
  M.iter (Printf.printf "%s=%d ") m;
  (try failwith "x" with Failure s -> print_endline s)
END
ocamlfind ocamlopt -version >/dev/null 2>&1; ocamlopt a.ml -o a 2>/dev/null && ./a; ocaml a.ml
