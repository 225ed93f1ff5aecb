import { accessWords } from '../../words/access.ts'

const { roles: texts } = accessWords

export type Area = keyof typeof texts.areas
type Level = keyof typeof texts.levels
/** Permissions as the API has them, by area. */
export type Permissions = Readonly<Record<string, readonly string[]>>

const areas = Object.keys(texts.areas) as Area[]
const levels = Object.keys(texts.levels) as Level[]

export function isArea(text: string): text is Area {
  return (areas as readonly string[]).includes(text)
}

export function isLevel(text: string): text is Level {
  return (levels as readonly string[]).includes(text)
}

const queueLevels: readonly Level[] = ['view', 'edit', 'full']

/** Only emails are sent, and messages get into the queue without a permission of its own. */
function hasLevel(area: Area, level: Level): boolean {
  if (area === 'queue') return queueLevels.includes(level)
  return level !== 'send' || area === 'email'
}

/** The permissions of a role: a row for each area, a column for each level. "Everything" includes the others. */
export function PermissionMatrix({
  value,
  onValue,
}: {
  value: Permissions
  /** Undefined where it cannot be changed. */
  onValue?: ((value: Permissions) => void) | undefined
}) {
  const toggle = (area: Area, level: Level) => {
    const granted = value[area] ?? []
    const next = granted.includes(level)
      ? granted.filter((each) => each !== level)
      : [...granted, level]
    const others = Object.entries(value).filter(([each]) => each !== area)
    onValue?.(Object.fromEntries(next.length === 0 ? others : [...others, [area, next]]))
  }
  return (
    <div class="matrix-frame">
      <table class="matrix">
        <caption>{texts.labels.rawPermissions}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.area}</th>
            {levels.map((level) => (
              <th key={level} scope="col">
                {texts.levels[level]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {areas.map((area) => {
            const granted = value[area] ?? []
            const hasAll = granted.includes('full')
            return (
              <tr key={area}>
                <th scope="row">{texts.areas[area]}</th>
                {levels.map((level) => (
                  <td key={level} data-label={texts.levels[level]}>
                    {hasLevel(area, level) && (
                      <input
                        type="checkbox"
                        aria-label={texts.level(texts.areas[area], texts.levels[level])}
                        checked={hasAll || granted.includes(level)}
                        disabled={onValue === undefined || (hasAll && level !== 'full')}
                        onChange={() => toggle(area, level)}
                      />
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
