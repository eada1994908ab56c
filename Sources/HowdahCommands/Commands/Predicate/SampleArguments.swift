import Foundation
import HowdahModel

/// Values for arguments that are open, so that a format can be tried without those of the program.
///
/// Each is of the type of what it is compared with.
struct SampleArguments {
    let model: ManagedObjectModel

    /// The trees to try, the likeliest first: what stands against something without a type may be a text, a number or a
    /// date.
    func candidates(for tree: PredicateTree, entity: String) throws(PredicateTreeError) -> [PredicateTree] {
        let names = tree.variables
        if names.isEmpty { return [tree] }
        let samples = SampleWalk(model).samples(for: tree, entity: entity)
        var trees: [PredicateTree] = []
        for fallback: Value in [.string("x"), .int(1), .date(Date(timeIntervalSinceReferenceDate: 0))] {
            let all = names.reduce(into: samples) { samples, name in
                if samples[name] == nil { samples[name] = .constant(fallback) }
            }
            trees.append(try tree.substituting(all))
            if samples.count == names.count { break }
        }
        return trees
    }
}
