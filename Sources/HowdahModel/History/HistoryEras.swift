/// The eras of a store's server that are known, with the last heartbeat of each that survived.
package struct HistoryEras: Sendable {
    /// The end of an era.
    package struct End: Sendable {
        package let next: HistoryEra
        package let heartbeat: StoreSnapshot

        package init(next: HistoryEra, heartbeat: StoreSnapshot) {
            self.next = next
            self.heartbeat = heartbeat
        }
    }

    private let present: HistoryEra
    private let latest: (era: HistoryEra, heartbeat: StoreSnapshot)
    private let ends: [HistoryEra: End]

    /// Creates the list of eras.
    ///
    /// - Parameters:
    ///   - present: The era in which the server runs now.
    ///   - latest: The era of the last heartbeat. It is an earlier one until a program writes a heartbeat.
    ///   - heartbeat: The last heartbeat.
    ///   - ends: The ends of earlier eras.
    package init(
        present: HistoryEra, latest: HistoryEra, heartbeat: StoreSnapshot, ends: [HistoryEra: End]
    ) {
        self.present = present
        self.latest = (latest, heartbeat)
        self.ends = ends
    }

    /// Returns the part of a snapshot of an era whose transactions exist now; nil if nothing is known of the
    /// era.
    ///
    /// All transactions that a heartbeat sees were stored with it, and their ids were not given out again.
    /// Later ids perhaps were. So each era on the way limits the snapshot.
    package func rewound(_ snapshot: StoreSnapshot, of era: HistoryEra) -> StoreSnapshot? {
        var (snapshot, era, passed) = (snapshot, era, Set<HistoryEra>())
        while era != present {
            guard passed.insert(era).inserted else { return nil }
            if let end = ends[era] {
                snapshot = snapshot.intersection(end.heartbeat)
                era = end.next
            } else if era == latest.era {
                return snapshot.intersection(latest.heartbeat)
            } else {
                return nil
            }
        }
        return snapshot
    }
}
