// SPDX-License-Identifier: MIT
import java.util.HashMap;
import java.util.Map;

public class Words {
    static final Map<String, Integer> counts = new HashMap<>();

    static void count(String text) {
        for (String word : text.split(" ")) {
            Integer n = counts.get(word);
            counts.put(word, n == null ? 1 : n + 1);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> count("the cat and the dog"));
        Thread b = new Thread(() -> count("the bird and the fish"));
        a.start();
        b.start();
        a.join();
        b.join();
        if (counts.get("the") != 4 || counts.get("and") != 2) {
            System.err.println(counts);
            System.exit(1);
        }
    }
}
