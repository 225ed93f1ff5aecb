// What Intl does not know of the abbreviations in the IANA time zone database.

/** What Intl calls zones that have no letters in the database. */
export const unknownToDatabase: ReadonlySet<string> = new Set([
  ...['GST', 'PMST', 'PMDT', 'ACWST', 'LHST', 'LHDT', 'CHAST', 'CHADT'],
])

const byZone: ReadonlyMap<string, readonly (readonly [offsetHours: number, name: string])[]> =
  new Map([
    ['Asia/Tokyo', [[9, 'JST']]],
    ['Asia/Seoul', [[9, 'KST']]],
    ['Asia/Pyongyang', [[9, 'KST']]],
    ['Asia/Shanghai', [[8, 'CST']]],
    ['Asia/Taipei', [[8, 'CST']]],
    ['Asia/Macau', [[8, 'CST']]],
    ['Asia/Hong_Kong', [[8, 'HKT']]],
    ['Asia/Manila', [[8, 'PST']]],
    ['Asia/Karachi', [[5, 'PKT']]],
    ['Asia/Jakarta', [[7, 'WIB']]],
    ['Asia/Makassar', [[8, 'WITA']]],
    ['Asia/Jayapura', [[9, 'WIT']]],
    ['Europe/Moscow', [[3, 'MSK']]],
    ['Europe/Simferopol', [[3, 'MSK']]],
    ['Europe/Kirov', [[3, 'MSK']]],
    ['Europe/Volgograd', [[3, 'MSK']]],
    [
      'Asia/Jerusalem',
      [
        [2, 'IST'],
        [3, 'IDT'],
      ],
    ],
    ['Europe/Dublin', [[1, 'IST']]],
    ['Europe/Guernsey', [[1, 'BST']]],
    ['Europe/Isle_of_Man', [[1, 'BST']]],
    ['Europe/Jersey', [[1, 'BST']]],
    [
      'America/Adak',
      [
        [-10, 'HST'],
        [-9, 'HDT'],
      ],
    ],
    [
      'America/Havana',
      [
        [-5, 'CST'],
        [-4, 'CDT'],
      ],
    ],
    ['America/Dawson', [[-7, 'MST']]],
    ['America/Hermosillo', [[-7, 'MST']]],
    ['America/Mazatlan', [[-7, 'MST']]],
    ['America/Whitehorse', [[-7, 'MST']]],
    ['Antarctica/Casey', [[8, '+08']]],
    ['Antarctica/Troll', [[0, '+00']]],
    ['Asia/Colombo', [[5.5, '+0530']]],
    ['Asia/Pontianak', [[7, 'WIB']]],
    ['Pacific/Guam', [[10, 'ChST']]],
    ['Pacific/Saipan', [[10, 'ChST']]],
    ['Pacific/Midway', [[-11, 'SST']]],
    ['Pacific/Pago_Pago', [[-11, 'SST']]],
  ])

/** The abbreviation of a zone at an offset in seconds, where Intl has none. */
export function knownAbbreviation(zone: string, offset: number): string | undefined {
  return byZone.get(zone)?.find(([hours]) => hours * 3600 === offset)?.[1]
}
