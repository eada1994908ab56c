internal import HowdahModel

/// The layout of a store's tables, and the library versions that may use them.
///
/// A library version has a format, ``StoreMetadata/formatVersion``. Each store names the oldest formats that may read
/// and write it. So a later version can change the layout and keep a store open to programs with this version.
package struct StoreFormat: Hashable, Sendable {
    /// The number of the layout.
    package let number: Int32
    /// Indicates whether the tables are another program's.
    package let isOverExistingTables: Bool
    /// The oldest format of a library version that may read the store.
    package let readableFrom: Int32
    /// The oldest format of a library version that may also write it.
    package let writableFrom: Int32

    /// The oldest layout that this version of the library can open.
    package static let oldest: Int32 = 1

    /// The layouts of stores over their own tables that this version of the library can open.
    package static let known = oldest...StoreMetadata.formatVersion

    /// Indicates whether the store has history, which library versions of an older format would not write.
    package var hasHistory: Bool { number >= StoreMetadata.writableFromWithHistory }

    /// Indicates whether the tables of a history must exist. A store of a later layout may have none.
    package var requiresHistory: Bool { number == StoreMetadata.writableFromWithHistory }

    /// Stores over existing tables record their layout with this number added.
    private static let offset = StoreMetadata.formatOverExistingTables - 1

    /// Makes a format from the columns of a store's record.
    ///
    /// - Parameters:
    ///   - recorded: The column `format_version`.
    ///   - readableFrom: The column `readable_from`. If a store has no such column, only its own format can read it.
    ///   - writableFrom: The column `writable_from`.
    package init(recorded: Int32, readableFrom: Int32? = nil, writableFrom: Int32? = nil) {
        isOverExistingTables = recorded > Self.offset
        number = isOverExistingTables ? recorded - Self.offset : recorded
        self.readableFrom = readableFrom ?? number
        self.writableFrom = writableFrom ?? number
    }

    /// The use that a caller makes of a store.
    package enum Use {
        /// Only to describe it.
        case none
        case reading
        case writing
    }

    /// Explains why a library version cannot use the store; nil if it can.
    ///
    /// - Parameters:
    ///   - schemaName: The store's schema.
    ///   - library: The library version's format.
    ///   - isReading: Indicates that the store will only be read.
    package func refusal(
        in schemaName: String, library: Int32 = StoreMetadata.formatVersion, reading isReading: Bool = false
    ) -> String? {
        let store = "The store in schema '\(schemaName)'"
        guard readableFrom <= writableFrom, readableFrom > 0 || number < Self.oldest else {
            return
                "The table \(StoreSchema.metadataTable) in schema '\(schemaName)' is damaged. It says format \(number), "
                + "readable from \(readableFrom) and writable from \(writableFrom), which no version of Howdah writes. "
                + "Restore the table from a backup."
        }
        if number < Self.oldest {
            return
                "\(store) has format \(number), which is too old. This version of Howdah opens formats "
                + "\(Self.oldest) to \(library). Export the data with the version of Howdah that created "
                + "the store, and import it into a new store."
        }
        if library < readableFrom {
            return
                "\(store) needs a newer version of Howdah. The store has format \(number). Only versions of Howdah "
                + "with format \(readableFrom) or later can read it, and this version has format \(library). "
                + "Use a newer version of Howdah."
        }
        if library < writableFrom, !isReading {
            return
                "\(store) needs a newer version of Howdah. The store has format \(number). Only versions of Howdah "
                + "with format \(writableFrom) or later may change it, and this version has format \(library). "
                + "Use a newer version of Howdah."
        }
        return nil
    }
}
