import Howdah

/// What a package takes on disk, and what its archive takes to download.
struct Sizes: CompositeValue {
    var installedKilobytes: Int
    /// Unknown for a package that is installed: dpkg does not keep it.
    var archiveBytes: Int?

    static let compositeDescription = CompositeDescription(
        "Sizes",
        [
            AttributeDescription("installedKilobytes", .integer64, optional: false),
            AttributeDescription("archiveBytes", .integer64),
        ])

    static var _columnCount: Int { 2 }
    static var _zero: Sizes { Sizes(installedKilobytes: 0, archiveBytes: nil) }

    init(installedKilobytes: Int, archiveBytes: Int?) {
        self.installedKilobytes = installedKilobytes
        self.archiveBytes = archiveBytes
    }

    init(_row row: inout _RowReader) {
        installedKilobytes = row.read()
        archiveBytes = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 2, let installedKilobytes = Int._make(elements[0]),
            let archiveBytes = Int?._make(elements[1])
        else { return nil }
        self.init(installedKilobytes: installedKilobytes, archiveBytes: archiveBytes)
    }

    var _elements: [Value] { [installedKilobytes._value, archiveBytes._value] }
}
