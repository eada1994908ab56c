let smallModelChecksum = "3a9d8e2fabfd289dfd1000baaa6d0517405abbdd5f6aa32c407a8c62f79f0fd5"
let emptyModelChecksum = "9ae95be2e5e73a0dfd131261bdae3e0281ac25c08e420fa79a526897cf9deb9e"

let smallModelJSON = #"""
    {
      "entities": [
        {
          "name": "Person",
          "properties": [
            {
              "attribute": {
                "defaultValue": {
                  "string": "é"
                },
                "isOptional": false,
                "name": "name",
                "type": "string"
              }
            },
            {
              "attribute": {
                "name": "home",
                "type": {
                  "composite": {
                    "elements": [
                      {
                        "minimum": {
                          "double": "-90.0"
                        },
                        "name": "latitude",
                        "type": "double"
                      }
                    ],
                    "name": "Place"
                  }
                }
              }
            },
            {
              "relationship": {
                "deleteRule": "cascade",
                "destination": "Pet",
                "inverse": "owner",
                "maxCount": 0,
                "name": "pets"
              }
            }
          ],
          "uniquenessConstraints": [
            [
              "name"
            ]
          ]
        },
        {
          "name": "Pet",
          "properties": [
            {
              "relationship": {
                "destination": "Person",
                "inverse": "pets",
                "name": "owner"
              }
            }
          ]
        }
      ],
      "format": 1
    }
    """#
