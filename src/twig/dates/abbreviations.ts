/** Common abbreviations of time zones: hours east of Greenwich, and whether it is daylight time. */
export const abbreviations: ReadonlyMap<string, readonly [hours: number, isDaylight: boolean]> =
  new Map([
    ['UTC', [0, false]],
    ['GMT', [0, false]],
    ['Z', [0, false]],
    ['WET', [0, false]],
    ['WEST', [1, true]],
    ['BST', [1, true]],
    ['IST', [2, false]],
    ['CET', [1, false]],
    ['CEST', [2, true]],
    ['EET', [2, false]],
    ['EEST', [3, true]],
    ['MSK', [3, false]],
    ['MSD', [4, true]],
    ['SAST', [2, false]],
    ['JST', [9, false]],
    ['KST', [9, false]],
    ['HKT', [8, false]],
    ['ACST', [9.5, false]],
    ['ACDT', [10.5, true]],
    ['AEST', [10, false]],
    ['AEDT', [11, true]],
    ['AWST', [8, false]],
    ['NZST', [12, false]],
    ['NZDT', [13, true]],
    ['NST', [-3.5, false]],
    ['NDT', [-2.5, true]],
    ['AST', [-4, false]],
    ['ADT', [-3, true]],
    ['EST', [-5, false]],
    ['EDT', [-4, true]],
    ['CST', [-6, false]],
    ['CDT', [-5, true]],
    ['MST', [-7, false]],
    ['MDT', [-6, true]],
    ['PST', [-8, false]],
    ['PDT', [-7, true]],
    ['AKST', [-9, false]],
    ['AKDT', [-8, true]],
    ['HST', [-10, false]],
  ])

/** Names that Intl has for zones which have only an offset in the IANA database. */
export const unknownToDatabase: ReadonlySet<string> = new Set(
  'GST PMST PMDT ACWST LHST LHDT CHAST CHADT'.split(' '),
)

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

/** The abbreviation in the IANA database of a zone at an offset in seconds, where Intl has none. */
export function knownAbbreviation(zone: string, offset: number): string | undefined {
  return byZone.get(zone)?.find(([hours]) => hours * 3600 === offset)?.[1]
}
