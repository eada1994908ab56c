package import Howdah

extension Logbook {
    /// Fills a store of the first version: aircraft without remarks, without flights, with some.
    package nonisolated(nonsending) static func fill(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            for number in 0..<6 {
                let aircraft = context.insert("Aircraft")
                aircraft["registration"] = "D-E\(number)"
                if number.isMultiple(of: 2) { aircraft["remarks"] = "remark \(number)" }
                if number > 1 {
                    aircraft["flightData"] = (1...number).map { "\(number).\($0)" }.joined(separator: ",")
                }
            }
            try context.save()
        }
    }

    /// What a store of the last version holds, in the order of the registrations.
    package nonisolated(nonsending) static func contents(
        _ container: PersistentContainer
    ) async throws -> [String] {
        try await container.perform { context in
            try all("Aircraft", in: context).map { aircraft in
                let flights = aircraft.members(forKey: "flights").compactMap { $0["data"] as? String }
                    .sorted()
                return [
                    "\(aircraft.objectID.key)", aircraft["registration"] as? String ?? "nil",
                    aircraft["remarks"] as? String ?? "nil", "\(aircraft["flightCount"] as? Int64 ?? -1)",
                    flights.joined(separator: ","),
                ].joined(separator: " ")
            }.sorted()
        }
    }

    /// What the store holds once it was filled and migrated, but for the aircraft's keys.
    package static var expected: [String] {
        (0..<6).map { number in
            let flights = number > 1 ? (1...number).map { "\(number).\($0)" } : []
            return "D-E\(number) \(number.isMultiple(of: 2) ? "remark \(number)" : "none") \(flights.count) "
                + flights.joined(separator: ",")
        }
    }
}
