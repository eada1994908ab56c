import Foundation
import Howdah

/// The values of one row as its only writer knows them.
struct MixedRow: Equatable, Sendable {
    var value: Int
    var labels: [String]

    init(_ value: Int, _ labels: [String] = []) { (self.value, self.labels) = (value, labels) }

    /// Reads the values of an object, whose value is an integer or, in the second version, a double.
    init(_ object: ManagedObject) {
        let stored = object["value"]
        value = (stored as? Int64).map { Int($0) } ?? (stored as? Double).map { Int($0) } ?? -1
        labels = object.objectID.entityName == "Gamma" ? object["labels"] as? [String] ?? [] : []
    }

    /// Writes the values.
    func write(to object: ManagedObject) {
        object["value"] = value
        if object.objectID.entityName == "Gamma" { object["labels"] = labels }
    }
}
