import type { Static } from 'typebox'
import Type from 'typebox'
import type { FaultDetails } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import { validationError } from '../../http/index.ts'
import {
  flagField,
  isPublishedField,
  jsonField,
  mauticStamps,
  nameField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../resource/index.ts'

/** The areas of permissions. Roles belong to `user`, OAuth clients to `api`. */
export const areas = [
  'multipleTransports',
  'twigtemplates',
  'email',
  'queue',
  'contact',
  'brand',
  'user',
  'api',
] as const
export type Area = (typeof areas)[number]

const commonLevels = ['view', 'create', 'edit', 'delete', 'publish', 'full']

/** The levels of each area; `full` includes all others. */
export const levels: Readonly<Record<Area, readonly string[]>> = {
  multipleTransports: commonLevels,
  twigtemplates: commonLevels,
  email: [...commonLevels, 'send'],
  queue: ['view', 'edit', 'full'],
  contact: commonLevels,
  brand: commonLevels,
  user: commonLevels,
  api: commonLevels,
}

/** Permissions as the API writes them: `{"email": ["view", "send"]}`. */
export type RawPermissions = Partial<Record<Area, string[]>>

/** Returns permissions as names such as `email:view`; `full` is expanded to all levels of its area. */
export function expandPermissions(raw: RawPermissions): Set<string> {
  const expanded = new Set<string>()
  for (const [area, granted] of Object.entries(raw)) {
    const names = granted.includes('full') ? levels[area as Area] : granted
    for (const level of names) expanded.add(`${area}:${level}`)
  }
  return expanded
}

/** The permissions of a role. */
export interface Grants {
  isAdmin: boolean
  permissions: RawPermissions
}

/** Returns a function that says whether a role grants `area:level`. */
export function createCan({ isAdmin, permissions }: Grants): (permission: string) => boolean {
  const granted = expandPermissions(permissions)
  return (permission) => isAdmin || granted.has(permission)
}

/** Whether the caller has all permissions of a role. Callers can only grant, change and remove what they have themselves. */
export function covers(caller: Caller, grants: Grants): boolean {
  if (caller.isAdmin) return true
  if (grants.isAdmin) return false
  return [...expandPermissions(grants.permissions)].every((permission) => caller.can(permission))
}

const areaList = areas.map((area) => `${area} (${levels[area].join(', ')})`).join('; ')

const author = {
  name: 'Author',
  description: 'Writes emails and templates.',
  isAdmin: false,
  rawPermissions: { email: ['view', 'create', 'edit'], twigtemplates: ['full'] },
}

export const roleRecord = recordFields(mauticStamps, ['name', 'description'], {
  name: nameField('The name of the role.'),
  description: textField('What the role is for.'),
  isAdmin: flagField(
    Type.Optional(
      Type.Boolean({ description: 'Whether the role has all permissions. Default: false.' }),
    ),
    false,
  ),
  rawPermissions: {
    ...jsonField(
      Type.Optional(
        Type.Unsafe<RawPermissions>({
          // Mautic's PHP client sends an empty object as [].
          type: ['object', 'array'],
          additionalProperties: {},
          description: `The permissions of the role, by area: ${areaList}.`,
        }),
      ),
      Type.Unsafe<RawPermissions>({
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      }),
      {},
    ),
    column: 'permissions' as const,
    toColumn: (input: RawPermissions | undefined = {}) => JSON.stringify(readRawPermissions(input)),
  },
  isPublished: isPublishedField,
})

const roleInput = Type.Object(roleRecord.input, {
  title: 'RoleInput',
  examples: [author, { name: 'Reader', rawPermissions: { email: ['view'] } }],
})
export type RoleInput = Static<typeof roleInput>

const roleItem = Type.Object(
  {
    ...roleRecord.item,
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'Another role has the same name.' }),
    ),
  },
  { title: 'Role', examples: [roleRecord.example(2, author)] },
)
export type RoleItem = Static<typeof roleItem>

export const roleFields = roleRecord.listFields('name', 'description', 'isAdmin')

/** How many faults an error lists. */
const namedMax = 10

/** Reads permissions. Throws an AppError (`invalid`) for unknown ones, which would grant nothing. */
export function readRawPermissions(input: object): RawPermissions {
  if (Array.isArray(input) && input.length === 0) return {}
  const details: FaultDetails = {}
  for (const [area, granted] of Object.entries(input) as [string, unknown][]) {
    const fault = permissionFault(area, granted)
    if (fault !== undefined) details[`rawPermissions.${area.slice(0, 100)}`] = [fault]
    if (Object.keys(details).length === namedMax) break
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  const permissions = Object.entries(input as RawPermissions)
  return Object.fromEntries(permissions.map(([area, granted]) => [area, [...new Set(granted)]]))
}

function permissionFault(area: string, granted: unknown): string | undefined {
  const known = Object.hasOwn(levels, area) ? levels[area as Area] : undefined
  if (known === undefined) return `is no area; use ${areas.join(', ')}`
  if (!Array.isArray(granted)) return 'must be a list of levels'
  const unknown = granted.filter((level: unknown) => !known.some((each) => each === level))
  if (unknown.length === 0) return undefined
  const names = unknown.slice(0, namedMax).map(describeLevel)
  const more = unknown.length > namedMax ? ', …' : ''
  return `has no level ${names.join(', ')}${more}; use ${known.join(', ')}`
}

/** Describes a value without its content: it may be nested too deeply to be written out. */
function describeLevel(level: unknown): string {
  if (typeof level === 'string') return level.slice(0, 100)
  if (Array.isArray(level)) return '(a list)'
  return typeof level === 'object' && level !== null ? '(an object)' : String(level)
}

export const roleShape: ResourceShape = {
  path: '/api/roles',
  one: 'role',
  many: 'roles',
  label: 'Role',
  area: 'user',
  isOfInstallation: true,
  listLimit: 30,
  fields: roleFields,
  item: roleItem,
  input: roleInput,
  exampleChange: { description: 'Writes emails.' },
}
