import Type from 'typebox'
import { smtpModes } from '../../kit/smtp-mode.ts'
import { nullable } from '../http/index.ts'
import { plainField } from '../resource/index.ts'

const smtpMode = Type.Enum([...smtpModes], { type: 'string' })

/** The field `smtpMode` of users and OAuth clients. */
export const smtpModeField = plainField(
  Type.Optional(
    nullable(smtpMode, {
      description:
        'What 250 means to its SMTP clients: `hybrid`, `queue` or `direct`. Default: null, the setting MAILYARD_SMTP_MODE.',
    }),
  ),
  nullable(smtpMode),
  { fallback: null },
)
