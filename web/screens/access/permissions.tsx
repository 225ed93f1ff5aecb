import { Facts } from '../../design/facts.tsx'
import { Card } from '../../design/page.tsx'
import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { accessWords } from '../../words/access.ts'

const { roles: text } = accessWords

type Area = keyof typeof text.areas
type Level = keyof typeof text.levels
/** Permissions as the API has them, by area. */
export type Permissions = Readonly<Record<string, readonly string[]>>
type RolePart = Pick<Schema<'Role'>, 'isAdmin'> & { rawPermissions: Permissions }

const areas = Object.keys(text.areas) as Area[]
const levels = Object.keys(text.levels) as Level[]
const queueLevels: readonly Level[] = ['view', 'edit', 'full']

/** Only emails are sent, and no permission is needed to add messages to the queue. */
function hasLevel(area: Area, level: Level): boolean {
  if (area === 'queue') return queueLevels.includes(level)
  return level !== 'send' || area === 'email'
}

/** What a role may do in each area, such as `Templates` and `View, Edit`. */
function listPermissions({ rawPermissions }: RolePart): [string, string][] {
  return areas.flatMap((area): [string, string][] => {
    const granted = rawPermissions[area] ?? []
    const names = granted.includes('full')
      ? [text.levels.full]
      : levels.filter((level) => granted.includes(level)).map((level) => text.levels[level])
    return names.length === 0 ? [] : [[text.areas[area], names.join(', ')]]
  })
}

/** The permissions of a role in words, such as "Templates: Everything; Contacts: View". */
export function describeRole(role: RolePart): string {
  if (role.isAdmin) return text.everything
  const parts = listPermissions(role).map((part) => part.join(': '))
  return parts.length === 0 ? text.nothing : parts.join('; ')
}

/** What a user or a client may do, by their role; or the reason why there is no role to show. */
export function MayDo({
  role,
  reason = text.noRole,
}: {
  role: (RolePart & { id: number; name: string }) | undefined
  reason?: string | undefined
}) {
  const permissions = role && !role.isAdmin ? listPermissions(role) : []
  return (
    <Card
      title={text.permissions}
      tools={role && can('user:view') && <a href={`/access/roles/${role.id}`}>{role.name}</a>}
    >
      {permissions.length > 0 ? (
        <Facts facts={permissions} />
      ) : (
        <p class={role ? undefined : 'quiet'}>{role ? describeRole(role) : reason}</p>
      )}
    </Card>
  )
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
        <caption>{text.labels.rawPermissions}</caption>
        <thead>
          <tr>
            <th scope="col">{text.area}</th>
            {levels.map((level) => (
              <th key={level} scope="col">
                {text.levels[level]}
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
                <th scope="row">{text.areas[area]}</th>
                {levels.map((level) => (
                  <td key={level} data-label={text.levels[level]}>
                    {hasLevel(area, level) && (
                      <input
                        type="checkbox"
                        aria-label={text.level(text.areas[area], text.levels[level])}
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
