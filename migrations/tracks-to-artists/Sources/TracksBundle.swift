import Foundation
import Howdah
import HowdahModelFile

/// The model's versions, which are a resource of the program.
enum TracksBundle {
    static func model(_ version: String) throws -> ManagedObjectModel {
        guard let url = Bundle.module.url(forResource: "Tracks", withExtension: "xcdatamodeld") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try ManagedObjectModel(contentsOf: url, version: version)
    }
}
