public import HowdahModel

/// Columns from key paths. For paths of more than one property, use names.
extension ResultColumn where Object: ManagedObject {
    /// Returns a column of a property with its name in the model, or another.
    public static func property<Value>(_ property: KeyPath<Object, Value>, as name: String? = nil)
        -> ResultColumn
    {
        ResultColumn(property, as: name)
    }

    /// Returns a column of the number of values of a property in a group, as `Int64`.
    public static func count<Value>(_ property: KeyPath<Object, Value>, as name: String) -> ResultColumn {
        ResultColumn(property, as: name, .count)
    }

    /// Returns a column of the sum of a number: `Int64` of integers, `Decimal` of decimals, otherwise
    /// `Double`.
    ///
    /// If `Int64` is too small for a sum of integers, it is a `Decimal`.
    public static func sum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .sum) }

    /// Returns a column of the mean of a number: `Decimal` of integers and decimals, otherwise `Double`.
    public static func average<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .avg) }

    /// Returns a column of the smallest number, string or date.
    public static func minimum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .min) }

    /// Returns a column of the greatest number, string or date.
    public static func maximum<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>, as name: String
    ) -> ResultColumn { ResultColumn(attribute, as: name, .max) }

    private init(_ keyPath: AnyKeyPath, as name: String?, _ aggregate: Aggregate? = nil) {
        if let found = PropertyNames.name(of: keyPath) {
            self.init(found, as: name ?? found, aggregate)
        } else {
            self.init("", as: name ?? "", aggregate, complaint: PropertyNames.complaint(about: keyPath))
        }
    }
}
