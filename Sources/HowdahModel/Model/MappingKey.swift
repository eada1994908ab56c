/// The `userInfo` keys that steer how a model is stored; all of them but ``type`` are part of the model's checksum.
public enum MappingKey {
    /// On a root entity: the name of its table. On a to-many relationship that is stored in a join table: the
    /// name of that table.
    ///
    /// The name is used as it is; a subentity has no table of its own and cannot carry the key.
    public static let table = "howdah.table"

    /// On an attribute: the name of its column, or what the names of a composite's columns begin with. On a
    /// to-one relationship: the name of its foreign key column. On a relationship in a join table: the name of
    /// the column that holds the destination's key. On an element of a composite: its part of the column's name.
    ///
    /// The name is used as it is, also in subentities.
    public static let column = "howdah.column"

    /// On a Transformable attribute: `YES` stores it in a `jsonb` column instead of `bytea`.
    public static let jsonb = "howdah.jsonb"

    /// On a String, URI, Binary or Transformable attribute of a uniqueness constraint: `YES` compares digests, so
    /// that values of any length can be unique.
    ///
    /// A unique index over the value itself refuses values of more than about 2,700 bytes.
    public static let digest = "howdah.digest"

    /// On a String attribute, or a String in a composite: `YES` compares it without regard to case, see
    /// ``AttributeDescription/isCaseInsensitive``.
    public static let caseInsensitive = "howdah.caseInsensitive"

    /// On a String or URI attribute, or one in a composite: `cd` gives it a fetch index for comparisons with `[cd]`,
    /// `c` and `d` for those; see ``FetchIndexElement/folded(_:options:ascending:)``.
    public static let foldedIndex = "howdah.foldedIndex"

    /// On a root entity: the name of the integer column that is the key of its rows, `_id` where none is given.
    ///
    /// For tables that another program made; a subentity's rows have the key of their root's table.
    public static let key = "howdah.key"

    /// On a root entity: the name of the integer column that grows with each change of a row, `_version` where none is
    /// given, or ``noVersion``.
    public static let version = "howdah.version"

    /// What ``version`` is for a table without such a column: its objects can be read and not written.
    public static let noVersion = "none"

    /// On a relationship: `YES` lets a trigger keep those delete rules that no foreign key can, see
    /// ``RelationshipDescription/hasDeleteTrigger``.
    public static let deleteTrigger = "howdah.deleteTrigger"

    /// On a root entity: `YES` adds a trigger that counts up the version of a row if a statement of another program, or of
    /// your own SQL, changes the row and not its version. A save that has read the row is then a conflict.
    ///
    /// Howdah's own statements count versions themselves, so that the trigger does nothing for them. Derived attributes
    /// and places in ordered relationships do not count.
    public static let versionTrigger = "howdah.versionTrigger"

    /// On a Transformable attribute: the Swift type of the property in generated classes, which conforms to
    /// `AttributeTransformable` or, with ``jsonb``, to `AttributeJSON`. No part of the checksum.
    public static let type = "howdah.type"

    /// What a description's ``AttributeDescription/valueTransformerName`` can also be given by.
    package static let transformer = "howdah.transformer"

    /// What all keys begin with.
    static let prefix = "howdah."

    package static let all: Set<String> = [
        table, column, jsonb, digest, caseInsensitive, foldedIndex, key, version, deleteTrigger,
        versionTrigger, type,
    ]

    /// Those that decide how a model is stored.
    package static let steering = all.subtracting([type])
}

extension AttributeDescription {
    /// Whether a Transformable attribute asks for a `jsonb` column.
    package var isStoredAsJSON: Bool {
        type == .transformable && MappingKey.flag(userInfo[MappingKey.jsonb]) == true
    }

    /// Whether uniqueness constraints compare digests of the attribute's values.
    package var isUniqueByDigest: Bool { MappingKey.flag(userInfo[MappingKey.digest]) == true }

    /// Whether predicates, sorting and uniqueness take "Ada" and "ADA" for one text; the value itself stays as it is
    /// set.
    ///
    /// Predicates compare as with `[c]`, except for `MATCHES`, and exactly with `[n]`. Validation rules keep their exact
    /// meaning. Kept in ``userInfo`` under ``MappingKey/caseInsensitive``.
    public var isCaseInsensitive: Bool {
        get { userInfo.isEmpty ? false : MappingKey.flag(userInfo[MappingKey.caseInsensitive]) ?? false }
        set { userInfo[MappingKey.caseInsensitive] = newValue ? MappingKey.yes : nil }
    }
}

extension RelationshipDescription {
    /// Whether the database itself keeps the delete rule also where no foreign key can: by a trigger, for deletions that
    /// come from batch deletions, `psql` and other programs.
    ///
    /// Matters for cascade and deny of a to-one whose own table has the column, for cascade of relationships with a
    /// table of links, and for the links that no action leaves there. Saves do not depend on it. Kept in ``userInfo``
    /// under ``MappingKey/deleteTrigger``.
    public var hasDeleteTrigger: Bool {
        get { userInfo.isEmpty ? false : MappingKey.flag(userInfo[MappingKey.deleteTrigger]) ?? false }
        set { userInfo[MappingKey.deleteTrigger] = newValue ? MappingKey.yes : nil }
    }
}

extension MappingKey {
    /// What Xcode's editor writes for a flag.
    package static let yes = "YES"

    /// A flag as people write it; nil for other texts and for none.
    package static func flag(_ text: String?) -> Bool? {
        switch text {
        case yes, "true": true
        case "NO", "false": false
        default: nil
        }
    }
}
