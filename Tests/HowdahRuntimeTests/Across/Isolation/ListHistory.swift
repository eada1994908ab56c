/// The appends and reads of lists by units of work; finds cycles in their dependencies.
///
/// Each value is appended once, so that a list tells who wrote before whom, and a read who was seen and who was not.
struct ListHistory {
    enum Operation: Sendable {
        case append(key: Int, value: Int64)
        case read(key: Int, values: [Int64])
    }

    /// A unit of work; its number is its place in the history.
    struct Unit: Sendable {
        var operations: [Operation]
        /// Nil if it is not known.
        var isStored: Bool?
    }

    /// A dependency of one unit on another: it wrote, or read, after it; or it wrote after the other had read.
    enum Edge: Int { case writes, reads, overwritesRead }

    private let units: [Unit]
    private var writers: [Int64: Int] = [:]
    private var orders: [Int: [Int64]] = [:]
    private var edges: [[(to: Int, kind: Edge)]]
    private(set) var violations: [String] = []

    init(_ units: [Unit]) {
        self.units = units
        edges = Array(repeating: [], count: units.count)
        for (number, unit) in units.enumerated() {
            for case .append(_, let value) in unit.operations { writers[value] = number }
        }
        for unit in units {
            for case .read(let key, let values) in unit.operations
            where values.count > orders[key, default: []].count {
                orders[key] = values
            }
        }
        for (number, unit) in units.enumerated() { check(number, unit) }
        for order in orders.values { link(order) }
    }

    /// The cycles, by the worst kind of dependency that they need.
    ///
    /// - Parameter maximum: how many changes of what was read a cycle may have: 0 for none, 1 for one, nil for any number.
    func cycles(overwritingReads maximum: Int?) -> [String] {
        let plain = components { $0 != .overwritesRead }
        var found = Dictionary(grouping: plain.indices, by: { plain[$0] }).values.filter { $0.count > 1 }
            .map { "units \($0.prefix(8)) depend on each other by writes and reads" }
        guard maximum != 0 else { return found }
        let all = components { _ in true }
        if maximum == nil {
            return Dictionary(grouping: all.indices, by: { all[$0] }).values.filter { $0.count > 1 }
                .map { "units \($0.prefix(8)) depend on each other" }
        }
        for (from, list) in edges.enumerated() {
            for edge in list where edge.kind == .overwritesRead && all[from] == all[edge.to] {
                if reaches(from, from: edge.to, within: all) {
                    found.append(
                        "unit \(edge.to) overwrote what unit \(from) read, and unit \(from) comes after it")
                }
            }
        }
        return found
    }

    // MARK: Edges

    private mutating func check(_ number: Int, _ unit: Unit) {
        for case .read(let key, let values) in unit.operations {
            let order = orders[key, default: []]
            guard order.starts(with: values) else {
                violations.append(
                    "unit \(number) read \(values.suffix(3)) of list \(key), which is no beginning of it")
                continue
            }
            if let last = values.last, let writer = writers[last] {
                if units[writer].isStored == false {
                    violations.append("unit \(number) read what unit \(writer) took back")
                }
                let own = units[writer].operations.compactMap { operation -> Int64? in
                    if case .append(key, let value) = operation { value } else { nil }
                }
                if writer != number, own.last != last {
                    violations.append("unit \(number) read a part of unit \(writer)")
                }
                add(writer, number, .reads)
            }
            if values.count < order.count, let next = writers[order[values.count]] {
                add(number, next, .overwritesRead)
            }
        }
    }

    private mutating func link(_ order: [Int64]) {
        for (one, next) in zip(order, order.dropFirst()) {
            if let one = writers[one], let next = writers[next] { add(one, next, .writes) }
        }
        for (value, place) in zip(order, 0...) where order.dropFirst(place + 1).first == value {
            violations.append("\(value) is in its list twice")
        }
        for value in order where writers[value] == nil { violations.append("no unit appended \(value)") }
    }

    /// Notes a dependency of units that took effect; others may have read anything.
    private mutating func add(_ from: Int, _ to: Int, _ kind: Edge) {
        if from != to, hasTakenEffect(from), hasTakenEffect(to) { edges[from].append((to, kind)) }
    }

    private func hasTakenEffect(_ number: Int) -> Bool {
        if let isStored = units[number].isStored { return isStored }
        return units[number].operations.contains { operation in
            if case .append(let key, let value) = operation {
                orders[key]?.contains(value) == true
            } else {
                false
            }
        }
    }

    // MARK: Graph

    /// The strongly connected component of each unit, by Tarjan's algorithm without recursion.
    private func components(_ isCounted: (Edge) -> Bool) -> [Int] {
        var (index, low) = (Array(repeating: -1, count: units.count), Array(repeating: 0, count: units.count))
        var (component, isOpen) = (
            Array(repeating: -1, count: units.count), Array(repeating: false, count: units.count)
        )
        var (stack, next, count) = ([Int](), 0, 0)
        for root in units.indices where index[root] < 0 {
            var work = [(node: root, edge: 0)]
            while let (node, edge) = work.last {
                if edge == 0 {
                    (index[node], low[node], isOpen[node]) = (next, next, true)
                    next += 1
                    stack.append(node)
                }
                var place = edge
                var child: Int?
                while place < edges[node].count, child == nil {
                    let candidate = edges[node][place]
                    place += 1
                    guard isCounted(candidate.kind) else { continue }
                    if index[candidate.to] < 0 { child = candidate.to }
                    if isOpen[candidate.to] { low[node] = min(low[node], index[candidate.to]) }
                }
                work[work.count - 1].edge = max(place, 1)
                if let child {
                    work.append((child, 0))
                    continue
                }
                work.removeLast()
                if let parent = work.last?.node { low[parent] = min(low[parent], low[node]) }
                guard low[node] == index[node] else { continue }
                while let member = stack.popLast() {
                    (isOpen[member], component[member]) = (false, count)
                    if member == node { break }
                }
                count += 1
            }
        }
        return component
    }

    /// Indicates whether one unit is reached from another by writes and reads alone.
    private func reaches(_ goal: Int, from start: Int, within component: [Int]) -> Bool {
        var (known, work): (Set<Int>, [Int]) = ([start], [start])
        while let node = work.popLast() {
            if node == goal { return true }
            for edge in edges[node]
            where edge.kind != .overwritesRead && component[edge.to] == component[start]
                && known.insert(edge.to).inserted
            {
                work.append(edge.to)
            }
        }
        return false
    }
}
