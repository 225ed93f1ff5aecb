import Type from 'typebox'
import type { HttpApp } from '../../http/index.ts'
import { type Area, areas, type RawPermissions } from './role-schema.ts'

/** The values of a role that many have: a start for a new one. */
export interface RolePreset {
  name: string
  description: string
  rawPermissions: RawPermissions
}

const everywhere = (...levels: string[]): RawPermissions =>
  Object.fromEntries(areas.map((area: Area) => [area, levels]))

/** Roles that fit most installations. */
export const rolePresets: readonly RolePreset[] = [
  {
    name: 'Operator',
    description: 'Runs the service: transports, limits, the queue and everything that is sent.',
    rawPermissions: {
      multipleTransports: ['full'],
      twigtemplates: ['full'],
      email: ['full'],
      queue: ['full'],
      contact: ['full'],
      user: ['view'],
      api: ['view'],
    },
  },
  {
    name: 'Marketer',
    description: 'Writes emails and templates, keeps contacts, and sends.',
    rawPermissions: {
      multipleTransports: ['view'],
      twigtemplates: ['full'],
      email: ['full'],
      contact: ['full'],
    },
  },
  {
    name: 'Read only',
    description: 'Sees everything and changes nothing.',
    rawPermissions: everywhere('view'),
  },
]

/** Adds `GET /api/roles/presets`. */
export function addRolePresetRoute(app: HttpApp): void {
  const schema = {
    operationId: 'listRolePresets',
    summary: 'List the presets of roles',
    description: 'Values that fit most installations. Change them as needed, and create a role.',
    tags: ['roles'],
    response: {
      200: Type.Object(
        {
          presets: Type.Array(
            Type.Object({
              name: Type.String(),
              description: Type.String(),
              rawPermissions: Type.Unsafe<RawPermissions>({
                type: 'object',
                additionalProperties: { type: 'array', items: { type: 'string' } },
              }),
            }),
          ),
        },
        { examples: [{ presets: rolePresets.slice(1, 2) }] },
      ),
    },
  }
  const config = { permission: 'user:view' as const }
  app.get('/api/roles/presets', { schema, config }, () => ({ presets: [...rolePresets] }))
}
