import Foundation
import Howdah
import HowdahModel
import HowdahModelFile
import HowdahSampleData
import HowdahTesting
import ModelCorpus
import Testing

/// Every model of the corpus holds data: a store is made, filled, and read back equal.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.absence)))
struct CorpusDataTests {
    private enum Outcome: Sendable {
        case passed(objects: Int, gaps: [String])
        /// The model uses what contexts do not keep; opening said so.
        case refused(String)
        case failed(String)
    }

    @Test func everyVersionIsFilledAndReadBack() async throws {
        let versions = Corpus.versions
        let outcomes = try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var outcomes: [Int: Outcome] = [:]
            // Two at a time: while one waits for the server, the other one plans.
            for place in versions.indices {
                if place >= 2, let (done, outcome) = try await group.next() { outcomes[done] = outcome }
                group.addTask { (place, await Self.outcome(of: versions[place], seed: UInt64(place))) }
            }
            for try await (done, outcome) in group { outcomes[done] = outcome }
            return outcomes
        }
        var passed = 0
        var refused = 0
        var lines: [String] = []
        for (place, version) in versions.enumerated() {
            switch outcomes[place] {
            case .passed(let objects, let gaps):
                passed += 1
                #expect(objects > 0 || gaps.isEmpty, "\(version)")
                lines += gaps.map { "  fewer    \(version): \($0)" }
            case .refused(let reason):
                refused += 1
                lines.append("  refused  \(version): \(reason.prefix(200))")
            case .failed(let reason):
                lines.append("  FAILED   \(version): \(reason)")
                Issue.record("\(version): \(reason)")
            case nil: Issue.record("\(version) was not tried")
            }
        }
        print("filled and read back: \(passed) of \(versions.count) versions, \(refused) refused")
        print(lines.joined(separator: "\n"))
        #expect(passed + refused == versions.count)
        // Patterns outside of the common subset, and required derived attributes, are all that is refused.
        #expect(passed * 10 > versions.count * 9)
    }

    private static func outcome(of version: Corpus.Version, seed: UInt64) async -> Outcome {
        do {
            let model = try ModelFile(at: version.file).contents(version: version.name).model
            let database = try EphemeralPostgres.shared().createDatabase()
            do {
                let outcome = try await filled(database.url, model, seed)
                try database.drop()
                return outcome
            } catch {
                try database.drop()
                throw error
            }
        } catch {
            return .failed("\(error)")
        }
    }

    private static func filled(_ url: String, _ model: ManagedObjectModel, _ seed: UInt64) async throws
        -> Outcome
    {
        var options = StoreOptions()
        options.maximumConnections = 1
        let container: PersistentContainer
        do {
            container = try await PersistentContainer.open(url, model: model, options: options)
        } catch let error as StoreError
            where error.code == .invalidModel && error.message.hasPrefix("The model uses what this version")
        {
            return .refused(error.message)
        }
        do {
            let data = SampleData(model: model, seed: seed, countPerEntity: 3 + Int(seed % 3))
            let insertion = try await data.insert(into: container)
            let differences = try await data.differences(from: insertion, in: container)
            await container.close()
            if !differences.isEmpty {
                return .failed(
                    "\(differences.count) differences: " + differences.prefix(5).joined(separator: "; "))
            }
            return .passed(objects: data.objects.count, gaps: data.gaps.map(\.description))
        } catch let error as SaveError where needsDerivation(error, model) {
            await container.close()
            return .refused("required derived attributes: \(error.issues.first?.description ?? "")")
        } catch {
            await container.close()
            throw error
        }
    }

    /// Whether nothing is missing but the values of derived attributes, which the store has to give.
    private static func needsDerivation(_ error: SaveError, _ model: ManagedObjectModel) -> Bool {
        error.code == .validation && !error.issues.isEmpty
            && error.issues.allSatisfy { issue in
                guard let property = issue.propertyName else { return false }
                return model.property(named: property, of: issue.entityName)?.attribute?.derivationExpression
                    != nil
            }
    }
}
