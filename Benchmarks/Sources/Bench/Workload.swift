/// One workload, what it is allowed to cost, and how its effect is checked in the database.
struct Workload: Sendable {
    let name: String
    let title: String
    let n: Int
    /// The ratio to the limit that must be met, and the one aimed at.
    let must: Double
    let goal: Double
    /// The name by which programs know it, where it is another one.
    var known: String?
    /// Whether client and server share one processor: then no time is lost between two.
    var isPinned = false
    /// Whether the Python peers have it, too.
    var isForAll = true
    /// Whether the run changes rows and needs a database of its own.
    var writes = false
    /// SQL for the number the run must report as its count, on the unchanged database.
    var count: String
    /// SQL for the number it must report as its sum.
    var sum: String?
    /// SQL for what must be true afterwards.
    var effect: String?
    /// More statements than this from Howdah are a failure.
    var mostStatements: Int?

    var program: String { known ?? name }

    private static let touch =
        "visits + salary + rating + extract(epoch FROM hired_at) - 946684800 + level + active::int "
        + "+ octet_length(first_name) + octet_length(last_name) + octet_length(email)"

    private static let lookups = """
        sum(visits) FROM (SELECT visits, row_number() OVER (ORDER BY _id) - 1 AS place FROM employee) e \
        JOIN (SELECT i * 7919 % 100000 AS place FROM generate_series(0, 4999) i) l USING (place)
        """

    private static let page =
        "generate_series(0, 999) i, LATERAL (SELECT \(touch) AS t FROM employee "
        + "WHERE last_name = 'Last' || lpad((i % 1000)::text, 3, '0') AND salary > 1000 ORDER BY hired_at LIMIT 20) p"

    private static let allNew = """
        count(*) = 100000 AND sum(e.visits) = 4999950000 AND min(e._version) = 1 \
        FROM employee e JOIN department d ON d._id = e.department WHERE d.name = 'New'
        """

    private static let visited = """
        sum(visits) = 4999950000 + 20000 AND sum(_version) = 100000 + 20000 AND \
        max(_id) FILTER (WHERE _version > 1) <= 200 FROM employee
        """

    static let all = [
        Workload(
            name: "W1", title: "insert 10,000 in one unit of work", n: 10_000, must: 2, goal: 1.15,
            writes: true,
            count: "10000",
            effect: """
                count(*) = 10000 AND sum(e.visits) = 49995000 AND min(e._version) = 1 AND max(e._id) > 100100 \
                FROM employee e JOIN department d ON d._id = e.department WHERE d.name = 'New'
                """),
        Workload(
            name: "W2", title: "fetch 100,000, touch every attribute", n: 100_000, must: 2.5, goal: 0.95,
            count: "count(*) FROM employee", sum: "sum(\(touch)) FROM employee"),
        Workload(
            name: "W3", title: "5,000 lookups by key", n: 5_000, must: 2, goal: 1.3, count: "5000",
            sum: lookups),
        Workload(
            name: "W3pin", title: "5,000 lookups by key, one processor", n: 5_000, must: 1.6, goal: 1.2,
            known: "W3", isPinned: true, count: "5000", sum: lookups),
        Workload(
            name: "W4", title: "1,000 queries, sorted, 20 rows each", n: 1_000, must: 1.8, goal: 1.3,
            count: "count(*) FROM \(page)", sum: "sum(t) FROM \(page)"),
        Workload(
            name: "W4pin", title: "1,000 queries, one processor", n: 1_000, must: 1.8, goal: 1.3,
            known: "W4", isPinned: true, count: "count(*) FROM \(page)", sum: "sum(t) FROM \(page)"),
        Workload(
            name: "W5", title: "update 10,000 with version check", n: 10_000, must: 1.5, goal: 1.0,
            writes: true,
            count: "10000",
            effect: """
                count(*) FILTER (WHERE _version = 2) = 10000 AND sum(visits) = 4999950000 + 10000 \
                AND sum(salary) = 249950000 + 100000 FROM employee
                """),
        Workload(
            name: "W6", title: "walk a to-many, prefetched", n: 100_000, must: 2.5, goal: 1.2,
            count: "count(*) FROM employee", sum: "sum(salary) FROM employee"),
        Workload(
            name: "W6lazy", title: "walk a to-many, naive loop", n: 100_000, must: 1, goal: 0.5,
            count: "count(*) FROM employee", sum: "sum(salary) FROM employee", mostStatements: 2),
        Workload(
            name: "W7", title: "load and delete 10,000", n: 10_000, must: 2.5, goal: 1.25, writes: true,
            count: "10000", effect: "count(*) = 90000 AND min(_id) = 10101 FROM employee"),
        Workload(
            name: "W7b", title: "delete by predicate", n: 10_000, must: 1.3, goal: 1.05, writes: true,
            count: "10000", effect: "count(*) = 90000 AND min(visits) = 10000 FROM employee"),
        Workload(
            name: "W8", title: "8 workers x 2,500 small transactions", n: 20_000, must: 2, goal: 1.35,
            writes: true,
            count: "20000",
            effect: visited),
        Workload(
            name: "W8own", title: "W8 on the container's threads", n: 20_000, must: 2, goal: 1.35,
            isForAll: false, writes: true, count: "20000", effect: visited),
        Workload(
            name: "W9", title: "process start to first object", n: 1, must: 2, goal: 1.25, count: "1"),
        Workload(
            name: "W10", title: "export 100,100 as JSON lines", n: 100_000, must: 3, goal: 2,
            isForAll: false, count: "(SELECT count(*) FROM employee) + (SELECT count(*) FROM department)"),
        Workload(
            name: "W11", title: "import 100,001 JSON lines", n: 100_000, must: 3, goal: 2,
            isForAll: false, writes: true, count: "100001",
            effect: allNew),
        Workload(
            name: "W12", title: "batch insert of 100,000 rows", n: 100_000, must: 3, goal: 2,
            isForAll: false, writes: true, count: "100000",
            effect: allNew),
    ]
}
