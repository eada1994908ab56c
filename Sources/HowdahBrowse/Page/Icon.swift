/// The icon of the pages.
enum Icon {
    static var response: BrowseResponse {
        BrowseResponse(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" \
            fill="#2b5d8a"/><path d="M4 3v10M12 3v10M4 8h8" stroke="#fff" stroke-width="2"/></svg>
            """, type: "image/svg+xml")
    }
}
