/// What a control file says about one package: plain values, before they become objects.
struct PackageRecord: Sendable {
    var name: String
    var version: String?
    var architecture: String?
    var summary: String?
    var section: String?
    var maintainer: String?
    var sizes: Sizes?
    var dependencies: [DependencyRecord]
    var provides: [String]
}
