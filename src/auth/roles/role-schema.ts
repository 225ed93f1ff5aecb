import Type, { type Static } from 'typebox'
import {
  isPublishedFlag,
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
  { title: 'RoleInput' },
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
  { title: 'Role' },
)
export type RoleItem = Static<typeof roleItem>

export const roleFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
  isAdmin: { column: 'is_admin', type: 'boolean' },
} as const

/** Reads permissions; throws for what is not one of ours, since it would grant nothing unnoticed. */
export function readRawPermissions(given: object): RawPermissions {
  if (Array.isArray(given) && given.length === 0) return {}
  const details: FaultDetails = {}
  for (const [area, granted] of Object.entries(given) as [string, unknown][]) {
    const fault = permissionFault(area, granted)
    if (fault !== undefined) details[`rawPermissions.${area}`] = [fault]
  }
  if (Object.keys(details).length > 0) throw validationError(details)
  return given
}

function permissionFault(area: string, granted: unknown): string | undefined {
  const known = Object.hasOwn(levels, area) ? levels[area as Area] : undefined
  if (known === undefined) return `is no area; there are ${areas.join(', ')}`
  if (!Array.isArray(granted)) return 'must be a list of levels'
  const unknown = granted.filter((level: unknown) => !known.some((each) => each === level))
  if (unknown.length === 0) return undefined
  const names = unknown.map((level: unknown) =>
    typeof level === 'string' ? level : JSON.stringify(level),
  )
  return `has no level ${names.join(', ')}; there are ${known.join(', ')}`
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
}
