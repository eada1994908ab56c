/// The elements of model files, what may be in them, and the attributes they carry.
///
/// Some attributes are known and have no effect here: what concerns Xcode's editor and code generation
/// (`elements`, `representedClassName`'s manner, `codeGenerationType`, `usesScalarValueType`), the device
/// (`syncable`, `spotlightIndexingEnabled`, `storedInTruthFile`) or CloudKit.
enum Vocabulary {
    static let children: [String: Set<String>] = [
        "model": ["entity", "composite", "configuration", "fetchRequest", "elements"],
        "entity": [
            "attribute", "relationship", "fetchedProperty", "userInfo", "uniquenessConstraints", "fetchIndex",
            "compoundIndexes",
        ],
        "composite": ["attribute", "userInfo"],
        "attribute": ["userInfo"],
        "relationship": ["userInfo"],
        "fetchedProperty": ["fetchRequest", "userInfo"],
        "userInfo": ["entry"],
        "uniquenessConstraints": ["uniquenessConstraint"],
        "uniquenessConstraint": ["constraint"],
        "fetchIndex": ["fetchIndexElement"],
        "compoundIndexes": ["compoundIndex"],
        "compoundIndex": ["index"],
        "configuration": ["memberEntity"],
        "elements": ["element"],
    ]

    /// The attributes that are YES or NO.
    static let flags: Set<String> = [
        "isAbstract", "optional", "transient", "indexed", "derived", "allowsExternalBinaryDataStorage",
        "preserveAfterDeletion", "usesScalarValueType", "syncable", "storedInTruthFile",
        "spotlightIndexingEnabled", "allowsCloudEncryption", "toMany", "ordered", "includeSubentities",
        "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
    ]

    /// What attributes with few values can be.
    static let values: [String: Set<String>] = flags.reduce(into: ["order": ["ascending", "descending"]]) {
        $0[$1] = ["YES", "NO", "yes", "no", "true", "false", "1", "0"]
    }

    static let attributes: [String: Set<String>] = [
        "model": [
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage", "userDefinedModelVersionIdentifier", "name", "iOSVersion", "macOSVersion",
            "usedWithSwiftData", "usedWithCloudKit",
        ],
        "entity": [
            "name", "representedClassName", "isAbstract", "parentEntity", "elementID", "versionHashModifier",
            "syncable", "codeGenerationType", "coreSpotlightDisplayNameExpression",
        ],
        "attribute": [
            "name", "attributeType", "optional", "transient", "defaultValueString", "defaultDateTimeInterval",
            "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
            "regularExpressionString", "indexed", "derived", "derivationExpression", "valueTransformerName",
            "customClassName", "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "elementID",
            "versionHashModifier", "composite", "usesScalarValueType", "syncable", "storedInTruthFile",
            "spotlightIndexingEnabled", "allowsCloudEncryption",
        ],
        "relationship": [
            "name", "destinationEntity", "inverseName", "inverseEntity", "toMany", "minCount", "maxCount",
            "ordered", "optional", "transient", "deletionRule", "indexed", "elementID", "versionHashModifier",
            "syncable", "storedInTruthFile", "spotlightIndexingEnabled",
        ],
        "fetchedProperty": ["name", "optional", "syncable"],
        "fetchRequest": [
            "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType",
            "includeSubentities", "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults",
            "returnDistinctResults",
        ],
        "composite": ["name"],
        "entry": ["key", "value"],
        "constraint": ["value"],
        "fetchIndex": ["name", "partialIndexPredicate"],
        "fetchIndexElement": ["property", "expression", "expressionType", "type", "order"],
        "index": ["value"],
        "configuration": ["name", "usedWithCloudKit"],
        "memberEntity": ["name"],
        "element": ["name", "positionX", "positionY", "width", "height"],
    ]
}
