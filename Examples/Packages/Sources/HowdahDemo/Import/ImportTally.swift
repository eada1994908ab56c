/// What an import did, in objects.
struct ImportTally: Sendable {
    /// How many packages were read.
    var packages = 0
    /// How many dependencies they have.
    var dependencies = 0
    var inserted = 0
    var changed = 0
    var deleted = 0

    var isEmpty: Bool { inserted + changed + deleted == 0 }

    static func += (left: inout ImportTally, right: ImportTally) {
        left.packages += right.packages
        left.dependencies += right.dependencies
        left.inserted += right.inserted
        left.changed += right.changed
        left.deleted += right.deleted
    }
}
