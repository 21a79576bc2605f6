fun main() {
    while (true) {
        val line = readLine() ?: break
        if ("\"hello\"" in line) println("{\"type\":\"ready\"}")
        if ("\"ask\"" !in line) continue
        val id = line.substringAfter("\"id\":").substringBefore(",")
        val move = line.substringAfter("\"legal\":[").substringBefore("}")
        println("{\"id\":$id,\"move\":$move}}")
    }
}
