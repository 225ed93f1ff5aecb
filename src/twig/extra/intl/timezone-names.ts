/** Long ago a zone was called otherwise. */
const today = Date.UTC(2024, 0, 1)

/** What people call a time zone, with the city that it is named after; undefined where there is none. */
export function findTimezoneName(zone: string, locale: string): string | undefined {
  if (!/^[A-Z][A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(zone)) return undefined
  try {
    const generic = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'longGeneric' })
      .formatToParts(today)
      .find(({ type }) => type === 'timeZoneName')
    const city = zone.split('/').at(-1)?.replaceAll('_', ' ')
    return generic === undefined ? undefined : `${generic.value} (${city})`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
