import Foundation
import HowdahModelFile

extension ModelFile {
    /// Reads a model; where it cannot be read, what was noticed until then is told too.
    static func contents(of path: String, version: String?) throws -> ModelFile.Contents {
        try CommandError.explained {
            do throws(ModelFileError) {
                return try ModelFile(at: URL(filePath: path)).contents(version: version)
            } catch {
                for warning in error.warnings { Output.tell("warning: \(warning)") }
                throw error
            }
        }
    }
}
