/// The kinds of images that browsers show without risk, by the first bytes of the data.
///
/// SVG is not one of them: it can contain scripts.
enum BlobKind: String, Sendable {
    case png, jpeg, gif, webp

    init?(_ bytes: [UInt8]) {
        func begins(_ start: [UInt8], at place: Int = 0) -> Bool {
            bytes.dropFirst(place).starts(with: start)
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else {
            return nil
        }
    }

    /// The name for people.
    var name: String { "\(rawValue.uppercased()) image" }

    /// The type for the `Content-Type` field.
    var mediaType: String { "image/\(rawValue)" }
}
