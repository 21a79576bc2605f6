using System;

class Bot {
    static void Main() {
        string line;
        while ((line = Console.ReadLine()) != null) {
            if (line.Contains("\"hello\"")) Console.WriteLine("{\"type\":\"ready\"}");
            if (!line.Contains("\"ask\"")) continue;
            string id = line.Substring(line.IndexOf("\"id\":") + 5).Split(',')[0];
            string move = line.Substring(line.IndexOf("\"legal\":[") + 9).Split('}')[0];
            Console.WriteLine("{\"id\":" + id + ",\"move\":" + move + "}}");
        }
    }
}
