#if Full || Server || Browser || All || Macros
/// Makes a class an entity of the model: each stored property becomes an attribute or a relationship.
///
/// ```swift
/// @Entity final class Employee: ManagedObject {
///     var firstName: String
///     var salary: Decimal = 0
///     var hiredAt: Date?
///     @Relationship(inverse: "employees") var department: Department?
/// }
/// ```
/// - A literal initial value becomes the model's default. Any other, such as `Date()`, is evaluated for each
///   new object and is not a part of the model.
/// - If a property is not Optional and has no initial value, it reads as zero or empty until you set it. A
///   save throws if it is not set.
/// - A class that inherits from another entity's class is its subentity. Superclasses are not `final`; name
///   all of them in `ManagedObjectModel(_:)`.
/// - Computed and type properties are not a part of the entity.
///
/// - Parameters:
///   - name: The entity's name, if it is not the class's.
///   - abstract: Indicates whether you can create objects only of its subentities.
///   - unique: Groups of property names; no two objects may have the same values of a group.
///   - indexes: The properties by which fetches can use an index, such as `[["lastName", "firstName"]]`. A
///     ``FetchIndexDescription`` has more settings. Relationships and unique properties always have an index.
///   - fetchedProperties: The fetched properties. Give each a property of the class such as `var colleagues:
///     [Employee] { fetchedObjects(forKey: "colleagues") }`.
///   - table: The table's name, if it is not made from the entity's.
///   - key: The integer column with the key, if the table exists already and its name is not `_id`.
///   - version: The integer column with the version, or "none". Objects without one are read-only.
///   - renamingIdentifier: The entity's name in an earlier version of the model.
///   - versionHashModifier: A text that distinguishes this version of the entity from an otherwise equal one.
///   - userInfo: Annotations.
@attached(member, names: arbitrary)
@attached(memberAttribute)
@attached(peer, names: prefixed(_readOnlyKeyPathsOf))
public macro Entity(
    _ name: String? = nil, abstract: Bool = false, unique: [[String]] = [],
    indexes: [FetchIndexDescription] = [], fetchedProperties: [FetchedPropertyDescription] = [],
    table: String? = nil, key: String? = nil, version: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "EntityMacro")

/// Adds the accessors of a property. Do not write it yourself.
///
/// ``Entity(_:abstract:unique:indexes:fetchedProperties:table:key:version:renamingIdentifier:versionHashModifier:userInfo:)``
/// adds it to each property.
@attached(accessor)
public macro _EntityProperty(_ slot: Int) =
    #externalMacro(module: "HowdahMacros", type: "EntityPropertyMacro")
#endif
