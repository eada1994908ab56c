import Foundation
import Howdah

struct CommentDocument: Codable {
    let id: String
    let author: String?
    let text: String
    let createdAt: Date

    init(_ comment: Comment) {
        id = comment.objectID.pathComponent
        author = comment.author?.login
        text = comment.text
        createdAt = comment.createdAt
    }
}
