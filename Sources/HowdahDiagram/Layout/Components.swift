/// Which boxes lines connect, directly or through others.
struct Components {
    struct Component {
        /// Numbers of boxes, ascending.
        var boxes: [Int] = []
        /// Numbers of connections, ascending.
        var connections: [Int] = []
    }

    /// Those with at least one line.
    let joined: [Component]
    /// Boxes without any line, in the model's order.
    let single: [Int]

    init(boxCount: Int, connections: [Connection]) {
        var parents = Array(0..<boxCount)
        func root(_ box: Int) -> Int {
            var box = box
            while parents[box] != box { box = parents[box] }
            return box
        }
        for connection in connections {
            let (a, b) = (root(connection.from.box), root(connection.to.box))
            parents[max(a, b)] = min(a, b)
        }
        var components = [Component](repeating: Component(), count: boxCount)
        for box in 0..<boxCount { components[root(box)].boxes.append(box) }
        for (number, connection) in connections.enumerated() {
            components[root(connection.from.box)].connections.append(number)
        }
        joined = components.filter { !$0.connections.isEmpty }
        single = components.filter { $0.connections.isEmpty }.flatMap(\.boxes)
    }
}
