/// The checksums of the plans between consecutive versions of the shared models, in the order of the histories.
///
/// Each line has the checksum and the name of the later version.
enum CorpusPlans {
    static let lines = text.split(separator: "\n").map(String.init)

    private static let text = """
        c42a0f373378054b Simplenote 3
        b8d7dc79adfb76b9 Simplenote 4
        cf0ccc9fd5030408 Simplenote 5
        0c4d05dec104b84c Simplenote 6
        0f5060f81cd77016 Simplenote 7
        684c4ae35f2edf6d Modelv4
        45c844581d810208 OEDatabase 0.2
        cf00ae7c0806d7aa OEDatabase 0.3
        85100f548d469597 OEDatabase 0.4
        6a93a0fe294e734c OEDatabase 0.5
        13f317276ba32ba7 OEDatabase 1.0
        50c9c97c851d35fe OEDatabase 1.1
        d9ec44d32f1bfa0a OEDatabase 1.2
        dca658c5c039dfe2 OEDatabase 1.3
        98bf794a599a2d07 VersionedModel 2
        168df16c0ef4004b VersionedModel 3
        b141683ebfe96a9c VersionedModel 4
        7d4b6d53124f5266 Model 2
        3bc13acf44d8a284 CoreDataStack 2
        cc5f0320dfca09ca CoreDataStack 3
        9a6afeb5755e0397 CoreDataStack 4
        cf9cd0342a243b05 CoreDataStack 5
        c17b1595d85e6faf CoreDataStack 6
        58ee46953c55407f CoreDataStack 7
        ff00b2392a8b3c67 CoreDataStack 8
        8b4e0fdda8172a81 SampleModel3_v2
        06c25a44db059d67 SampleModel3_v3
        0dc711dfffdedfc6 SampleModel2
        e3b18d92c0d6e4a8 SampleModel3
        8cd75cb600ebb5c0 AltStore 2
        7a66cb72f2d5b195 AltStore 3
        27d6ce7a85b2e298 AltStore 4
        88fcdb7b8a441e2b AltStore 5
        48980ae0bff18a9d AltStore 6
        49860e3bd92e3e22 AltStore 7
        e6c779aed34762e5 AltStore 8
        1f91c7b498e536c1 AltStore 9
        3910937855fdb9d0 AltStore 10
        81eed270a91895e9 AltStore 11
        236667fdc7c7a1aa AltStore 12
        747d1d4039ab8a92 AltStore 13
        7fba74ca382792df AltStore 14
        a5ab58ff4971e4b9 AltStore 15
        2361ed6fc70d3150 AltStore 16
        5db2a892a1763627 AltStore 17
        eac91c9852fc3851 Model2
        4cf3d5bfb2a58e19 Model3
        c5968206a0e6d081 Model4
        11d407f54b3440c7 Model5
        1a1250c0e2558d63 Model6
        33161bf3f4b2196c Model7
        5eee9198ffa3a8db Model8
        1b7433448e72aaaa Model9
        6abc450324c1e792 Model10
        00dd6acf6012d99e Model11
        6e3c39d2b7fc29ca Model12
        55a195be1076bc85 Model13
        53a13f828be980a1 Model14
        1fc0bf687a6bdb22 Model15
        60c19ca2a4203903 Model16
        f5a8c06862dcd46b Model17
        b49f1ed592d210e7 Model18
        649c387bdad39e16 Model19
        e150f3e549cea8c1 Model20
        3224269468a5ba35 Model21
        caac1e918d46cb7f Model22
        cdeaf790c46a174b Model23
        9ae4943e07e674f4 Model24
        6b2d678d410f28d6 Model25
        67775f20a14df0ba Model26
        a94b434e1661139c Model27
        474917247e321691 WordPress 14
        a083527cc8cfad64 WordPress 15
        ecbca0c67a4b5e8a WordPress 16
        ac83328a6ab69da1 WordPress 17
        fe7e6f1c6910dcfe WordPress 18
        ec5efde47d1cadb1 WordPress 19
        f9407f7d8f583a7a WordPress 20
        309184b43081c5d6 WordPress 21
        d01ad1c4574abaf4 WordPress 22
        a304cab8ca07cbae WordPress 23
        818dbe52bf790d01 WordPress 24
        9cd29f934c497afd WordPress 25
        88bd9e16f150d700 WordPress 26
        8b2ca2ce0276c746 WordPress 27
        e6c779aed34762e5 WordPress 28
        f8f8f5c5b8620867 WordPress 29
        1f40899ac994fedb WordPress 30
        17405bc30cd6f2aa WordPress 31
        9d1e7340166abf94 WordPress 32
        492fd2d1f289b88d WordPress 33
        3fb0f3eec93c2bc4 WordPress 34
        b1994994c0d1e9e4 WordPress 35
        35d6ea142305e9ae WordPress 36
        cb4f3c70ee042eef WordPress 37
        d3b277f3c9b04ead WordPress 38
        7e29a2f1f48129ba WordPress 39
        4d4be7a07f3393ab WordPress 40
        7df5615a43467f14 WordPress 41
        f1f1007924168642 WordPress 42
        dace2cda52ff512a WordPress 43
        f9823d366a2f2b1d WordPress 44
        2a797fff6bef3fe5 WordPress 45
        1981d68df021c9a7 WordPress 46
        b3a86a6bd22c157b WordPress 47
        31f940d22e92ad23 WordPress 48
        8a2c4fa201fedd07 WordPress 49
        be12f2bc01d05896 WordPress 50
        93bbcab0f0be94b0 WordPress 51
        f55c560e76733b98 WordPress 52
        e0ae6ad72e89a713 WordPress 53
        b20d16d0f7680363 WordPress 54
        44dc195580df8cbe WordPress 55
        045ab4d14770a417 WordPress 56
        7f0d5f3fd8f528cf WordPress 57
        2ba4493e51821d1f WordPress 58
        be57bf430beadbc6 WordPress 59
        75a90c3ba27d3d81 WordPress 60
        7a6ec2c2b3adde06 WordPress 61
        c78510cdc5460a5e WordPress 62
        8ca4381112b263b2 WordPress 63
        cf3b20868793e163 WordPress 64
        eb85884c7ac79579 WordPress 65
        289c991269d0f5ce WordPress 66
        091a887d5eb17b3d WordPress 67
        ed1620c3d719dd31 WordPress 68
        af232fee55327c2f WordPress 69
        ae27baa085e29774 WordPress 70
        af6c61f2b419c4e9 WordPress 71
        e8a048a88a7d240e WordPress 72
        ba43b518806fafab WordPress 73
        57e7766eac2e5018 WordPress 74
        0f7a01bb436ff53a WordPress 75
        047673c1e02b9b94 WordPress 76
        5ded3ac1fcef3e42 WordPress 77
        259e1c9d5061237a WordPress 78
        f690793684de3d54 WordPress 79
        1815eacc2ad9cc1c WordPress 80
        62fcf17a3b390085 WordPress 81
        6ebd3f9a88ce225a WordPress 82
        2ce8ff039aca7ea7 WordPress 83
        df87c080ac95731c WordPress 84
        706527f00f3d78b0 WordPress 85
        2c25ad02b3d5cee7 WordPress 86
        0b9156e087535060 WordPress 87
        d3c4170ae10d40ec WordPress 88
        4b3b608cf92a8afa WordPress 89
        27394cd7f16ede3d Extensions 2
        49c6a8ad734cdecf Extensions 3
        09271142fbda43e8 CoreDataMigration-v1.1
        1141fc9bff818304 CoreDataMigration-v1.2
        a9445b5bfef78de8 CoreDataMigration-v1.3
        a80a50d4cb4f58da CoreDataMigration_Example 2
        1baaa191383a8ec9 CoreDataMigration_Example 3
        b9803782d803733b CoreDataMigration_Example 4
        6e86a1a25dfb03e3 zmessaging1.27
        2ea1a12799aec86a zmessaging1.28
        9a69792f2e217c6a zmessaging2.3
        f44df9e3fd0a357e zmessaging2.4
        0ff589e17e671c55 zmessaging2.5
        67526811e788b4bb zmessaging2.6
        dfff517ee4212951 zmessaging2.7
        efd10cd22aac5bd8 zmessaging2.8
        6002f34943586a16 zmessaging2.9
        3d5ca85a808e5a31 zmessaging2.10
        83afe6f1029d5c86 zmessaging2.11
        cdc09a2080720f93 zmessaging2.15.0
        e6c779aed34762e5 zmessaging2.17.0
        620a5043f314a4d1 zmessaging2.18.0
        965a94815d55516d zmessaging2.21.0
        b514e79e8c9f07a2 zmessaging2.21.1
        beb943eb4554ebe7 zmessaging2.21.2
        4eb7ab3fd6a83b04 zmessaging2.24
        79478a2ad4057be5 zmessaging2.24.1
        78b4b2ca14d81b7a zmessaging2.25.0
        02df86fa12fc8f30 zmessaging2.26.0
        dbfa43620fb7c34a zmessaging2.27.0
        0243b2e8f9b1350b zmessaging2.28.0
        90ec919d0600804a zmessaging2.29.0
        369ed8c735d95f47 zmessaging2.30.0
        7b2f2833c841de16 zmessaging2.31.0
        7ea64d542a8590f9 zmessaging2.39.0
        718dcacb5072485c zmessaging2.40.0
        20c5175541e05221 zmessaging2.41.0
        2e4ad19b59dd0b8d zmessaging2.42.0
        e5631ce51e1bc3d5 zmessaging2.43.0
        27130d01083f7224 zmessaging2.44.0
        4e1082bca380295d zmessaging2.45.0
        29fdce81be6c8fdc zmessaging2.46.0
        b14a7f8b479980e8 zmessaging2.47.0
        3c10312e163120c2 zmessaging2.48.0
        62813132ee7d50ce zmessaging2.49.0
        6eb0758438fbc88c zmessaging2.50.0
        4d8438afcc0305db zmessaging2.51.0
        f9fb9192089bec59 zmessaging2.52.0
        2ac1e08e58f61211 zmessaging2.53.0
        26869b992b59ef58 zmessaging2.54.0
        99451691b51bd042 zmessaging2.55.0
        203e791411dd21c8 zmessaging2.56.0
        adddfb3e892264aa zmessaging2.57.0
        a3c016e25f08c82b zmessaging2.58.0
        4fbcc8c2bb4a2f84 zmessaging2.59.0
        4c7339697b19504b zmessaging2.60.0
        6f1effd700f23fa6 zmessaging2.61.0
        1a0543901d54b32a zmessaging2.62.0
        028ae7327174ce6a zmessaging2.63.0
        56855ef29d2c71cd zmessaging2.64.0
        e6c779aed34762e5 zmessaging2.65.0
        a429eb16226d6a2b zmessaging2.66.0
        99a92151caee23cb zmessaging2.67.0
        65d3f42939ccdec0 zmessaging2.68.0
        86ded279290fad21 zmessaging2.69.0
        8f9aa7e3c8069111 zmessaging2.70.0
        5578fa9a0de2ea45 zmessaging2.71.0
        1d42005a43b503e0 zmessaging2.72.0
        51c25c9a9b0e9627 zmessaging2.73.0
        31c234f942559bf2 zmessaging2.74.0
        2df80292e247f57e zmessaging2.75.0
        a1c3075c0d920a06 zmessaging2.76.0
        2827cbbf5b40fc7a zmessaging2.77.0
        ba31c03d3c71e30a zmessaging2.78.0
        7c23bcf450db705c zmessaging2.79.0
        8aefea4a623e2cc1 zmessaging2.80.0
        e6c779aed34762e5 zmessaging2.81.0
        7ea21b6ab16323bb zmessaging2.82.0
        d8b0d26c89d36b50 zmessaging2.83.0
        e6c779aed34762e5 zmessaging2.84.0
        3591d05618e459d2 zmessaging2.85.0
        045f3603647a242a zmessaging2.86.0
        d8468481541dd920 zmessaging2.87.0
        df56033868660f08 zmessaging2.88.0
        531ded2f18aaca3c zmessaging2.89.0
        e6212c1850fb5273 zmessaging2.90.0
        deb679d6866bba9f zmessaging2.91.0
        12cf847880fbc953 zmessaging2.92.0
        93788e5c5a122263 zmessaging2.93.0
        4aee279c133cdcac zmessaging2.94.0
        06cc97666dab5d63 zmessaging2.95.0
        84be9d13551f553a zmessaging2.96.0
        b1d473c6d49dc232 zmessaging2.97.0
        f1ccc92e66df0ee3 zmessaging2.98.0
        9647a38cd01ec589 zmessaging2.99.0
        ae7d05525ce52b3a zmessaging2.100.0
        01a0863301aa3534 zmessaging2.101.0
        f5b04aa1d400ec9e ZMEventModel2.0
        e6c779aed34762e5 ZMEventModel3.0
        2ff1cab75778802e Moody 2
        5b7b07024f13f549 Moody 3
        fde7e54da62320f2 Moody 4
        327a92c4c5a2ec0f Moody 5
        9232785fe7cf57b9 Moody 6
        """
}
