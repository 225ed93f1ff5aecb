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
import { type Area, areas, levels, type RawPermissions } from '../permissions.ts'

const rawPermissions = Type.Object(
  Object.fromEntries(
    areas.map((area) => [
      area,
      Type.Optional(
        Type.Array(Type.Enum([...levels[area]]), { description: levels[area].join(', ') }),
      ),
    ]),
  ),
  { description: 'What the role lets do, by area.' },
)

/** What the API takes. */
export const roleInput = Type.Object({
  name: nameText('The name of the role.'),
  description: optionalText('What the role is for.'),
  isAdmin: Type.Optional(
    Type.Boolean({ description: 'Whether the role lets do everything. Default: false.' }),
  ),
  // Mautic's PHP client sends an empty object as [].
  rawPermissions: Type.Optional(
    Type.Unsafe<RawPermissions>({ anyOf: [rawPermissions, { type: 'array', maxItems: 0 }] }),
  ),
  isPublished: isPublishedFlag,
})
export type RoleInput = Static<typeof roleInput>

/** What the API gives. */
export const roleItem = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: nullable<string>('string'),
  isAdmin: Type.Boolean(),
  rawPermissions: Type.Unsafe<RawPermissions>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  }),
  ...mauticStampSchema,
})
export type RoleItem = Static<typeof roleItem>

export const roleFields = {
  ...stampFields,
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
  isAdmin: { column: 'is_admin', type: 'boolean' },
} as const

/** Throws where an area is not one of ours: it would grant nothing, and nobody would notice. */
export function checkAreas(permissions: RawPermissions): void {
  const unknown = Object.keys(permissions).filter((area) => !areas.includes(area as Area))
  if (unknown.length === 0) return
  const reason = `has no area ${unknown.join(', ')}; there are ${areas.join(', ')}`
  throw validationError({ rawPermissions: [reason] })
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
