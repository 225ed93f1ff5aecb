/** Common abbreviations of time zones: hours east of Greenwich, and whether it is daylight time (`*`). */
export const abbreviations: ReadonlyMap<string, readonly [hours: number, isDaylight: boolean]> =
  new Map(
    `UTC+0 GMT+0 Z+0 WET+0 WEST*+1 BST*+1 IST+2 CET+1 CEST*+2 EET+2 EEST*+3 MSK+3 MSD*+4 SAST+2
    JST+9 KST+9 HKT+8 ACST+9.5 ACDT*+10.5 AEST+10 AEDT*+11 AWST+8 NZST+12 NZDT*+13 NST-3.5
    NDT*-2.5 AST-4 ADT*-3 EST-5 EDT*-4 CST-6 CDT*-5 MST-7 MDT*-6 PST-8 PDT*-7 AKST-9 AKDT*-8
    HST-10`
      .split(/\s+/)
      .map((word) => {
        const [, name = '', star, hours] = /^([A-Z]+)(\*?)(.*)$/.exec(word) ?? []
        return [name, [Number(hours), star === '*']]
      }),
  )

/** Names that Intl has for zones which have only an offset in the IANA database. */
export const unknownToDatabase: ReadonlySet<string> = new Set(
  'GST PMST PMDT ACWST LHST LHDT CHAST CHADT'.split(' '),
)

/** Abbreviations in the IANA database that Intl lacks: hours east of Greenwich, and zones. */
const byZone: ReadonlyMap<string, string> = new Map(
  `+00 0 Antarctica/Troll; +0530 5.5 Asia/Colombo; +08 8 Antarctica/Casey
  BST 1 Europe/Guernsey Europe/Isle_of_Man Europe/Jersey; CDT -4 America/Havana
  CST -5 America/Havana; CST 8 Asia/Macau Asia/Shanghai Asia/Taipei
  ChST 10 Pacific/Guam Pacific/Saipan; HDT -9 America/Adak; HKT 8 Asia/Hong_Kong
  HST -10 America/Adak; IDT 3 Asia/Jerusalem; IST 1 Europe/Dublin; IST 2 Asia/Jerusalem
  JST 9 Asia/Tokyo; KST 9 Asia/Pyongyang Asia/Seoul
  MSK 3 Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd
  MST -7 America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse
  PKT 5 Asia/Karachi; PST 8 Asia/Manila; SST -11 Pacific/Midway Pacific/Pago_Pago
  WIB 7 Asia/Jakarta Asia/Pontianak; WIT 9 Asia/Jayapura; WITA 8 Asia/Makassar`
    .split(/[;\n]\s*/)
    .flatMap((row): [string, string][] => {
      const [name = '', hours, ...zones] = row.split(' ')
      return zones.map((zone) => [`${zone} ${Number(hours) * 3600}`, name])
    }),
)

/** The abbreviation in the IANA database of a zone at an offset in seconds, where Intl has none. */
export function knownAbbreviation(zone: string, offset: number): string | undefined {
  return byZone.get(`${zone} ${offset}`)
}
