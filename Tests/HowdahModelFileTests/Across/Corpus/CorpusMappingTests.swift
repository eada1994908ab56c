import Foundation
import HowdahModel
import ModelCorpus
import Testing

@testable import HowdahModelFile

@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusMappingTests {
    @Test func everyMappingModelIsRead() throws {
        var table: [String: Int] = [:]
        var policies: Set<String> = []
        var selectors: Set<String> = []
        for (project, url) in Corpus.mappings {
            let contents = try MappingModelFile(at: url).contents()
            for warning in contents.warnings {
                #expect(
                    warning.message.contains("belong to no other object"), "\(project) \(url): \(warning)")
            }
            let model = contents.mappingModel
            let copy = try JSONDecoder().decode(MappingModel.self, from: JSONEncoder().encode(model))
            #expect(copy == model, "\(url)")
            #expect(!model.entityMappings.isEmpty && contents.sourceModelPath != nil)
            policies.formUnion(model.entityMigrationPolicyClassNames)
            for mapping in model.entityMappings {
                table[mapping.mappingType.rawValue, default: 0] += 1
                if mapping.sourceFilter != nil { table["filter", default: 0] += 1 }
                if !mapping.userInfo.isEmpty { table["userInfo", default: 0] += 1 }
                table["attributes", default: 0] += mapping.attributeMappings.count
                table["relationships", default: 0] += mapping.relationshipMappings.count
                for property in mapping.attributeMappings + mapping.relationshipMappings {
                    guard let expression = property.valueExpression else { continue }
                    table[Self.kind(of: expression), default: 0] += 1
                    selectors.formUnion(expression.policySelectors)
                }
            }
        }
        #expect(Corpus.mappings.count == 38)
        #expect(policies.count == 25)
        #expect(selectors.count == 3)
        #expect(
            table == [
                "undefined": 335, "custom": 34, "add": 17, "attributes": 3192, "relationships": 757,
                "filter": 1, "userInfo": 3, "key path": 11, "constant": 5, "policy": 3,
                "objects of an entity mapping": 11, "objects of a relationship": 1,
            ])
        for (kind, count) in table.sorted(by: { $0.key < $1.key }) {
            print("mapping models: \(kind) \(count)")
        }
    }

    /// Each with the models of its two versions, where the corpus has both.
    @Test func mappingModelsFitTheirModels() throws {
        var checked = 0
        for (project, url) in Corpus.mappings {
            let contents = try MappingModelFile(at: url).contents()
            guard let source = Self.model(contents.sourceModelPath, project),
                let destination = Self.model(contents.destinationModelPath, project)
            else { continue }
            checked += 1
            do throws(MappingModelError) {
                let resolved = try contents.mappingModel.resolved(from: source, to: destination)
                let open = resolved.entityMappings.filter { $0.mappingType == .undefined }
                #expect(open.isEmpty, "\(url)")
                #expect(try resolved.resolved(from: source, to: destination) == resolved, "\(url)")
            } catch {
                Issue.record("\(url.lastPathComponent): \(error)")
            }
        }
        // Of one, the two models are not among the shared ones.
        #expect(checked == 37)
    }

    private static func model(_ path: String?, _ project: String) -> ManagedObjectModel? {
        guard let parts = path?.split(separator: "/").suffix(2), parts.count == 2, let bundle = parts.first,
            let version = parts.last
        else { return nil }
        let candidates = Corpus.files.filter {
            $0.project == project && $0.url.lastPathComponent == String(bundle)
        }
        for candidate in candidates {
            if let model = try? ManagedObjectModel(contentsOf: candidate.url, version: String(version)) {
                return model
            }
        }
        return nil
    }

    private static func kind(of expression: MappingExpression) -> String {
        switch (expression.call, expression.root) {
        case (.destinationInstances(.entityMapping, _, _)?, _): "objects of an entity mapping"
        case (.destinationInstances(.sourceRelationship, _, _)?, _): "objects of a relationship"
        case (.policy?, _): "policy"
        case (.unknown?, _): "unknown"
        case (nil, .path): "key path"
        case (nil, .constant): "constant"
        default: "other"
        }
    }
}
