extension Anomaly {
    /// The anomalies, in the order of the levels that prevent them.
    static let all: [Anomaly] = [
        Anomaly(name: "G0", title: "two units write the same two rows, and each keeps one") { stage in
            await stage.write(0, "x", 11)
            await stage.write(1, "x", 12)
            await stage.write(0, "y", 21)
            _ = await stage.commit(0)
            await stage.write(1, "y", 22)
            _ = await stage.commit(1)
            let (x, y) = (await stage.read(2, "x"), await stage.read(2, "y"))
            return !(x == 11 && y == 21 || x == 12 && y == 22)
        },
        Anomaly(name: "G1a", title: "a unit reads a change that another unit rolls back") { stage in
            await stage.write(0, "x", 101)
            let first = await stage.read(1, "x")
            await stage.abandon(0)
            let second = await stage.read(1, "x")
            _ = await stage.commit(1)
            return first != 10 || second != 10
        },
        Anomaly(name: "G1b", title: "a unit reads a value that another unit then changes again") { stage in
            await stage.write(0, "x", 101)
            let first = await stage.read(1, "x")
            await stage.write(0, "x", 11)
            _ = await stage.commit(0)
            let second = await stage.read(1, "x")
            _ = await stage.commit(1)
            return first == 101 || second == 101
        },
        Anomaly(name: "G1c", title: "two units read each other's changes") { stage in
            await stage.write(0, "x", 11)
            await stage.write(1, "y", 22)
            let (y, x) = (await stage.read(0, "y"), await stage.read(1, "x"))
            _ = await stage.commit(0)
            _ = await stage.commit(1)
            return x == 11 && y == 22
        },
        Anomaly(name: "OTV", title: "a unit reads only one of two rows that another unit changed") { stage in
            await stage.write(0, "x", 11)
            await stage.write(0, "y", 19)
            await stage.write(1, "x", 12)
            _ = await stage.commit(0)
            _ = await stage.read(2, "x")
            await stage.write(1, "y", 18)
            let early = await stage.read(2, "y")
            _ = await stage.commit(1)
            let (y, x) = (await stage.read(2, "y"), await stage.read(2, "x"))
            _ = await stage.commit(2)
            return early == 18 || y == 18 && x != 12
        },
        Anomaly(name: "P4", title: "two units change a value that both have read") { stage in
            _ = await stage.read(0, "x")
            _ = await stage.read(1, "x")
            await stage.write(0, "x", 11)
            await stage.write(1, "x", 12)
            let isFirst = await stage.commit(0)
            let isSecond = await stage.commit(1)
            return isFirst && isSecond
        },
        Anomaly(name: "PMP", title: "the same fetch finds more rows the second time") { stage in
            let first = await stage.countOfLarge(0)
            await stage.insert(1, 30)
            _ = await stage.commit(1)
            let second = await stage.countOfLarge(0)
            _ = await stage.commit(0)
            return first == 0 && second == 1
        },
        Anomaly(
            name: "G-single", title: "a unit reads one row from before another unit, and one from after it"
        ) { stage in
            let x = await stage.read(0, "x")
            _ = await stage.read(1, "x")
            _ = await stage.read(1, "y")
            await stage.write(1, "x", 12)
            await stage.write(1, "y", 18)
            _ = await stage.commit(1)
            let y = await stage.read(0, "y")
            _ = await stage.commit(0)
            return x == 10 && y == 18
        },
        Anomaly(name: "G2-item", title: "two units read two rows, and each changes a different one") {
            stage in
            for unit in [0, 1] {
                _ = await stage.read(unit, "x")
                _ = await stage.read(unit, "y")
            }
            await stage.write(0, "x", 11)
            await stage.write(1, "y", 21)
            let isFirst = await stage.commit(0)
            let isSecond = await stage.commit(1)
            return isFirst && isSecond
        },
        Anomaly(
            name: "G2", title: "two units count rows, and each inserts one that the other would have counted"
        ) { stage in
            for unit in [0, 1] { _ = await stage.countOfLarge(unit) }
            await stage.insert(0, 30)
            await stage.insert(1, 42)
            let isFirst = await stage.commit(0)
            let isSecond = await stage.commit(1)
            return isFirst && isSecond
        },
    ]
}
