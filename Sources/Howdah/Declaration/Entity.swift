#if Full || Macros
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
/// - A literal initial value becomes the model's default. Any other, such as `Date()`, is evaluated for each new
///   object and is not part of the model.
/// - A property that is neither Optional nor has an initial value reads as zero or empty until it is set; a save
///   that finds it unset throws.
/// - A class that inherits from another entity's class is its subentity. Superclasses are not `final`; name all
///   of them in `ManagedObjectModel(_:)`.
/// - Computed and type properties are no part of the entity.
///
/// - Parameters:
///   - name: the entity's name, where it is not the class's.
///   - abstract: whether objects can only be made of its subentities.
///   - unique: groups of property names whose values together no two objects may share.
///   - indexes: what fetches find by index, such as `[["lastName", "firstName"]]`; a ``FetchIndexDescription`` says
///     more. Relationships and unique properties are indexed anyhow.
///   - fetchedProperties: what is fetched when it is asked for; give each a property of the class such as
///     `var colleagues: [Employee] { fetchedObjects(forKey: "colleagues") }`.
///   - table: the table's name, where it is not made of the entity's.
///   - key: the integer column with the key, where the table exists already and calls it otherwise than `_id`.
///   - version: the integer column with the version, or "none"; objects without one can only be read.
///   - renamingIdentifier: what the entity was called in an earlier version of the model.
///   - versionHashModifier: a text that makes this version of the entity differ from one otherwise the same.
///   - userInfo: annotations.
@attached(member, names: arbitrary)
@attached(memberAttribute)
@attached(peer, names: prefixed(_readOnlyKeyPathsOf))
public macro Entity(
    _ name: String? = nil, abstract: Bool = false, unique: [[String]] = [],
    indexes: [FetchIndexDescription] = [], fetchedProperties: [FetchedPropertyDescription] = [],
    table: String? = nil, key: String? = nil, version: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "EntityMacro")

/// Put on each property by ``Entity(_:abstract:unique:indexes:fetchedProperties:table:key:version:renamingIdentifier:versionHashModifier:userInfo:)``;
/// not meant to be written by hand.
@attached(accessor)
public macro _EntityProperty(_ slot: Int) =
    #externalMacro(module: "HowdahMacros", type: "EntityPropertyMacro")
#endif
