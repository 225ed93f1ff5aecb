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

/** Abbreviations in the IANA database that Intl lacks, with their zones. */
const zonesOf: readonly (readonly [name: string, offsetHours: number, zones: string])[] = [
  ['+00', 0, 'Antarctica/Troll'],
  ['+0530', 5.5, 'Asia/Colombo'],
  ['+08', 8, 'Antarctica/Casey'],
  ['BST', 1, 'Europe/Guernsey Europe/Isle_of_Man Europe/Jersey'],
  ['CDT', -4, 'America/Havana'],
  ['CST', -5, 'America/Havana'],
  ['CST', 8, 'Asia/Macau Asia/Shanghai Asia/Taipei'],
  ['ChST', 10, 'Pacific/Guam Pacific/Saipan'],
  ['HDT', -9, 'America/Adak'],
  ['HKT', 8, 'Asia/Hong_Kong'],
  ['HST', -10, 'America/Adak'],
  ['IDT', 3, 'Asia/Jerusalem'],
  ['IST', 1, 'Europe/Dublin'],
  ['IST', 2, 'Asia/Jerusalem'],
  ['JST', 9, 'Asia/Tokyo'],
  ['KST', 9, 'Asia/Pyongyang Asia/Seoul'],
  ['MSK', 3, 'Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd'],
  ['MST', -7, 'America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse'],
  ['PKT', 5, 'Asia/Karachi'],
  ['PST', 8, 'Asia/Manila'],
  ['SST', -11, 'Pacific/Midway Pacific/Pago_Pago'],
  ['WIB', 7, 'Asia/Jakarta Asia/Pontianak'],
  ['WIT', 9, 'Asia/Jayapura'],
  ['WITA', 8, 'Asia/Makassar'],
]

const byZone: ReadonlyMap<string, string> = new Map(
  zonesOf.flatMap(([name, hours, zones]) =>
    zones.split(' ').map((zone) => [`${zone} ${hours * 3600}`, name]),
  ),
)

/** The abbreviation in the IANA database of a zone at an offset in seconds, where Intl has none. */
export function knownAbbreviation(zone: string, offset: number): string | undefined {
  return byZone.get(`${zone} ${offset}`)
}
