// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Howdah

/// A shop's members in two versions of one program: the later one knows one tier more.
public enum DeclaredMembers {
    /// With a case for unknown values.
    public static func before() throws -> ManagedObjectModel { try ManagedObjectModel(Member.self) }
    /// With a tier and a rank more.
    public static func after() throws -> ManagedObjectModel { try ManagedObjectModel(LaterMember.self) }
    /// The version before, as it was without a case for unknown values.
    public static func plain() throws -> ManagedObjectModel { try ManagedObjectModel(PlainMember.self) }
}

/// A text, and a case for others.
public enum MemberTier: String, AttributeEnum { case basic, gold, other }
/// A number, and a case for others.
public enum MemberRank: Int, AttributeEnum { case low = 1, high, fallback = -1 }
/// One more.
public enum LaterTier: String, AttributeEnum { case basic, gold, platinum }
/// One more.
public enum LaterRank: Int, AttributeEnum { case low = 1, high, highest }
/// Without a case for others.
public enum PlainTier: String, AttributeEnum { case basic, gold }
/// Without a case for others.
public enum PlainRank: Int, AttributeEnum { case low = 1, high }

/// A member as the running program has it.
@Entity public final class Member: ManagedObject {
    @Attribute(maximumLength: 20) public var name: String
    @Attribute(unknown: .other) public var tier: MemberTier
    @Attribute(.indexed, unknown: MemberRank.fallback) public var rank: MemberRank?
}

/// A member as the next program has it.
@Entity("Member") public final class LaterMember: ManagedObject {
    @Attribute(maximumLength: 40) public var name: String
    public var tier: LaterTier
    @Attribute(.indexed) public var rank: LaterRank?
}

/// A member as a program without such cases has it.
@Entity("Member") public final class PlainMember: ManagedObject {
    @Attribute(maximumLength: 20) public var name: String
    public var tier: PlainTier
    @Attribute(.indexed) public var rank: PlainRank?
}
