# SPDX-License-Identifier: MIT
# options: cores=4 mem=2048 timeout=1500
mkdir d && cat >A.java <<'END'
import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class A {
    record P(int x, String s) {}
    public static void main(String[] a) throws Exception {
        var pool = Executors.newFixedThreadPool(4); var fs = new ArrayList<Future<Integer>>();
        for (int i = 0; i < 10; i++) { int n = i; fs.add(pool.submit(() -> IntStream.rangeClosed(0, n * 100).sum())); }
        for (var f : fs) System.out.print(f.get() + " ");
        pool.shutdown(); System.out.println(pool.awaitTermination(5, TimeUnit.SECONDS));
        System.out.println(Stream.of("b", "a", "c").sorted().collect(Collectors.joining(",")) + new P(1, "x"));
        var m = new ConcurrentHashMap<Integer, Integer>(); IntStream.range(0, 10000).parallel().forEach(i -> m.merge(i % 7, 1, Integer::sum)); System.out.println(new TreeMap<>(m));
        long h = 0; for (int i = 0; i < 2000000; i++) h = h * 31 + (i ^ (h >>> 7)); System.out.println(h);
        try { Object o = "s"; System.out.println((Integer) o); } catch (ClassCastException e) { System.out.println("cast"); }
    }
}
END
javac -d d A.java && java -cp d A && java -Xint -version 2>&1 | head -1 | cut -d' ' -f1
