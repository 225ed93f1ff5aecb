import Type, { type Static } from 'typebox'
import {
  isPublishedFlag,
  mauticStampExample,
  mauticStampSchema,
  nameText,
  nullable,
  optionalText,
  type ResourceShape,
  stampFields,
  validationError,
} from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import { type Area, areas, levels, type RawPermissions } from '../permissions.ts'

const areaList = areas.map((area) => `${area} (${levels[area].join(', ')})`).join('; ')

const author = {
  name: 'Author',
  description: 'Writes emails and templates.',
  isAdmin: false,
  rawPermissions: { email: ['view', 'create', 'edit'], twigtemplates: ['full'] },
}

/** What the API takes. */
export const roleInput = Type.Object(
  {
    name: nameText('The name of the role.'),
    description: optionalText('What the role is for.'),
    isAdmin: Type.Optional(
      Type.Boolean({ description: 'Whether the role lets do everything. Default: false.' }),
    ),
    rawPermissions: Type.Optional(
      Type.Unsafe<RawPermissions>({
        // Mautic's PHP client sends an empty object as [].
        type: ['object', 'array'],
        description: `What the role lets do, by area: ${areaList}.`,
      }),
    ),
    isPublished: isPublishedFlag,
  },
  {
    title: 'RoleInput',
    examples: [author, { name: 'Reader', rawPermissions: { email: ['view'] } }],
  },
)
export type RoleInput = Static<typeof roleInput>

/** What the API gives. */
export const roleItem = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: nullable<string>('string'),
    isAdmin: Type.Boolean(),
    rawPermissions: Type.Unsafe<RawPermissions>({
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    }),
    ...mauticStampSchema,
  },
  { title: 'Role', examples: [{ id: 2, ...author, ...mauticStampExample }] },
)
export type RoleItem = Static<typeof roleItem>

export const roleFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
  isAdmin: { column: 'is_admin', type: 'boolean' },
} as const

/** An error names so many of what is wrong; more would only make it long. */
const namedMax = 10

/** Reads permissions; throws for what is not one of ours, since it would grant nothing unnoticed. */
export function readRawPermissions(given: object): RawPermissions {
  if (Array.isArray(given) && given.length === 0) return {}
  const details: FaultDetails = {}
  for (const [area, granted] of Object.entries(given) as [string, unknown][]) {
    const fault = permissionFault(area, granted)
    if (fault !== undefined) details[`rawPermissions.${area.slice(0, 100)}`] = [fault]
    if (Object.keys(details).length === namedMax) break
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  const permissions = Object.entries(given as RawPermissions)
  return Object.fromEntries(permissions.map(([area, granted]) => [area, [...new Set(granted)]]))
}

function permissionFault(area: string, granted: unknown): string | undefined {
  const known = Object.hasOwn(levels, area) ? levels[area as Area] : undefined
  if (known === undefined) return `is no area; there are ${areas.join(', ')}`
  if (!Array.isArray(granted)) return 'must be a list of levels'
  const unknown = granted.filter((level: unknown) => !known.some((each) => each === level))
  if (unknown.length === 0) return undefined
  const names = unknown.slice(0, namedMax).map(describeLevel)
  const more = unknown.length > namedMax ? ', …' : ''
  return `has no level ${names.join(', ')}${more}; there are ${known.join(', ')}`
}

/** A value may be nested deeper than anything can write it out. */
function describeLevel(level: unknown): string {
  if (typeof level === 'string') return level.slice(0, 100)
  if (Array.isArray(level)) return '(a list)'
  return typeof level === 'object' && level !== null ? '(an object)' : String(level)
}

/** How roles look from outside. */
export const roleShape: ResourceShape = {
  path: '/api/roles',
  one: 'role',
  many: 'roles',
  label: 'Role',
  area: 'user',
  listLimit: 30,
  fields: roleFields,
  item: roleItem,
  input: roleInput,
  exampleChange: { description: 'Writes emails.' },
}
