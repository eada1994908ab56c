extension StoreSchema.Table {
    /// What is known of a table that another program made.
    package struct Existing: Hashable, Sendable {
        /// The sequence that the default of the key column draws from, quoted and schema-qualified; nil where there is
        /// none, and rows cannot be inserted.
        package var keySequence: String?
        /// Whether the server gives every key itself unless it is overridden.
        package var isAlwaysIdentity: Bool
        /// The columns of constraints and unique indexes, by name.
        package var constraints: [String: [String]] = [:]
        /// Whether the key is the first column, so that what the server quotes of a row begins with it.
        package var keyIsFirst = false
        /// One more than that of all tables that its foreign keys lead to, cycles aside.
        package var rank = 0

        package init(keySequence: String?, isAlwaysIdentity: Bool) {
            self.keySequence = keySequence
            self.isAlwaysIdentity = isAlwaysIdentity
        }
    }
}

extension StoreSchema.Column {
    /// What a column that another program made does not hold, though its type does.
    package enum Limit: Hashable, Sendable {
        /// Texts of more characters.
        case characters(Int)
        /// Numbers with more digits, of which so many are behind the point.
        case digits(Int, scale: Int)
        /// Other texts than these.
        case labels([String])
    }

    /// How values of a column that another program made are exchanged.
    package struct Form: Hashable, Sendable {
        /// What a value is read through.
        package enum Reading: Hashable, Sendable {
            /// As it is.
            case plain
            /// A cast to `text`.
            case text
            /// The moment that it is in UTC.
            case utc
        }

        package var reading: Reading
        /// The number of the type that parameters have.
        package var sent: UInt32
        /// The number of the type that comes of ``reading``.
        package var received: UInt32
        /// Whether texts are ordered byte by byte.
        package var isBytewise: Bool

        package init(_ reading: Reading, sent: UInt32, received: UInt32, isBytewise: Bool = true) {
            self.reading = reading
            self.sent = sent
            self.received = received
            self.isBytewise = isBytewise
        }
    }
}
