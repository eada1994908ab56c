import SwiftSyntax

/// A type that no property of an entity can have, as far as its spelling tells.
enum RefusedType {
    /// `[T]`, `Set<T>` and the like, with the element.
    case collection(element: String)
    /// `T!`.
    case implicitlyUnwrapped(TypeSyntax)
    /// `ToMany` without its member.
    case toManyOfNothing
    /// A number or text type with a storable neighbour, to be written in its place.
    case neighbour(String)
    /// Functions, tuples, dictionaries, existentials.
    case other

    init?(_ type: TypeSyntax) {
        if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self = .implicitlyUnwrapped(unwrapped.wrappedType)
            return
        }
        let wrapped = type.optionalWrapped
        switch (wrapped ?? type).as(TypeSyntaxEnum.self) {
        case .arrayType(let array): self = .collection(element: array.element.trimmedDescription)
        case .dictionaryType, .functionType, .someOrAnyType, .compositionType, .metatypeType: self = .other
        case .tupleType(let tuple):
            guard tuple.elements.count != 1 else { return nil }
            self = .other
        default:
            guard let refused = Self.named(wrapped ?? type, isOptional: wrapped != nil) else { return nil }
            self = refused
        }
    }

    private static func named(_ type: TypeSyntax, isOptional: Bool) -> RefusedType? {
        guard let name = type.lastName else { return nil }
        if let neighbour = neighbours[name] { return .neighbour(isOptional ? neighbour + "?" : neighbour) }
        switch name {
        case "Array", "Set", "ContiguousArray":
            return type.genericArguments.first.map { .collection(element: $0.trimmedDescription) }
        case "NSSet", "NSOrderedSet", "NSArray": return .collection(element: "<#Entity#>")
        case "ToMany", "OrderedToMany": return type.genericArguments.isEmpty ? .toManyOfNothing : nil
        case "Any", "AnyObject", "Dictionary", "Void", "Never": return .other
        default: return nil
        }
    }

    private static let neighbours = [
        "UInt": "Int", "UInt8": "Int16", "Int8": "Int16", "UInt16": "Int32", "UInt32": "Int", "UInt64": "Int",
        "CGFloat": "Double", "Float16": "Float", "Float80": "Double", "Character": "String",
        "Substring": "String", "NSString": "String", "NSNumber": "Double", "NSDate": "Date", "NSData": "Data",
        "NSDecimalNumber": "Decimal", "NSUUID": "UUID", "NSURL": "URL",
    ]

    /// The types of attributes that are values, which no relationship leads to.
    static let values: Set<String> = [
        "Bool", "Int", "Int16", "Int32", "Int64", "Double", "Float", "Decimal", "String", "Date", "Data",
        "UUID",
        "URL",
    ]
}
