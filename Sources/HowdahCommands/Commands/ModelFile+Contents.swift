import Foundation
import HowdahModel
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

extension ModelFile.Contents {
    /// The warnings of the model that do not say again what those of the file say.
    var otherWarnings: [ModelIssue] {
        model.warnings.filter { warning in
            ![.untypedAttribute, .missingInverse].contains(warning.code)
                || !warnings.contains {
                    $0.entityName == warning.entityName && $0.propertyName == warning.propertyName
                }
        }
    }
}
