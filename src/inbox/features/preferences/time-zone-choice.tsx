import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ownTimeZone } from '../../shared/own-time-zone.ts';
import type { PreferenceChange } from './preferences.ts';
import layout from '../../ui/layout.module.css';
import { preferencesTexts } from './preferences-texts.ts';

export interface TimeZoneChoiceProps {
  readonly label: string;
  /** IANA name. */
  readonly value: string;
  readonly onChange: (zone: string) => void;
}

export function TimeZoneChoice({ label, value, onChange }: TimeZoneChoiceProps) {
  return (
    <Choice
      label={label}
      value={value}
      options={timeZones(value).map((zone) => [zone, formatTimeZone(zone)])}
      onChange={onChange}
    />
  );
}

export interface ZoneOfferProps {
  /** The chosen zone, an IANA name. */
  readonly zone: string;
  readonly onChange: (change: PreferenceChange) => void;
}

/** Offers the zone of this browser where another one is chosen. */
export function BrowserTimeZoneOffer({ zone, onChange }: ZoneOfferProps) {
  const texts = preferencesTexts.use();
  const own = ownTimeZone();
  if (own === null || own === zone) return null;
  return (
    <p className={layout.hint}>
      <Button look="link" onClick={() => onChange({ time_zone: own })}>
        {texts.takeZone(formatTimeZone(own))}
      </Button>
    </p>
  );
}

/** Formats an IANA name for display. */
export const formatTimeZone = (zone: string) => zone.replaceAll('_', ' ');

/** All zones that the browser knows; the device's own and the chosen one come first. */
function timeZones(chosen: string): readonly string[] {
  return [...new Set([chosen, ownTimeZone() ?? 'UTC', 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
