// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Howdah

/// Every shape of an ordered relationship: stored beside a foreign key, linked with one or both sides ordered,
/// without an inverse, and leading back by itself.
public enum DeclaredLists {
    public static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Album.self, Song.self, Single.self, Listener.self)
    }
}

@Entity public final class Album: ManagedObject {
    public var title: String
    @Relationship(inverse: "album") public var songs: OrderedToMany<Song>
    @Relationship(inverse: "albums") public var guests: OrderedToMany<Song>
    @Relationship(inverse: nil) public var loans: OrderedToMany<Song>
}

@Entity public class Song: ManagedObject {
    public var number: Int
    @Relationship(inverse: "songs") public var album: Album?
    @Relationship(inverse: "guests") public var albums: ToMany<Album>
    @Relationship(inverse: "songs") public var listeners: OrderedToMany<Listener>
}

@Entity public final class Single: Song {
    public var label: String?
}

@Entity public final class Listener: ManagedObject {
    public var name: String
    @Relationship(inverse: "listeners") public var songs: OrderedToMany<Song>
    @Relationship(inverse: "rivals") public var rivals: OrderedToMany<Listener>
}
