import { Choice } from '../../ui/form/choice.tsx';

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
      options={timeZones(value).map((zone) => [zone, zone.replaceAll('_', ' ')])}
      onChange={onChange}
    />
  );
}

/** All zones that the browser knows; the device's own and the chosen one come first. */
function timeZones(chosen: string): readonly string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set([chosen, own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
