import { writeFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Writer } from 'protobufjs/minimal.js';
import type { TrainReportData } from './data.ts';

/** CRC-32C (Castagnoli), reflected; TFRecord files carry it in a masked form. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** Masked CRC-32C of the bytes, as TFRecord stores it. */
export const maskedCrc = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!;
  crc = (crc ^ 0xffffffff) >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
};

/** One record of a TFRecord file: length, its checksum, the bytes, their checksum; all little-endian. */
export const tfRecord = (data: Uint8Array): Buffer => {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(maskedCrc(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(maskedCrc(data));
  return Buffer.concat([head, data, tail]);
};

const WIRE = { varint: 0, double: 1, bytes: 2, float: 5 } as const;
const tag = (field: number, type: keyof typeof WIRE): number => (field << 3) | WIRE[type];

/** `tensorflow.Event` with scalars: wall_time 1, step 2, summary 5 { value 1 { tag 1, simple_value 2 } }. */
const scalars = (at: number, step: number, values: Readonly<Record<string, number>>): Uint8Array => {
  const event = Writer.create()
    .uint32(tag(1, 'double'))
    .double(at / 1_000);
  event.uint32(tag(2, 'varint')).int64(step).uint32(tag(5, 'bytes')).fork();
  for (const [name, value] of Object.entries(values)) {
    event.uint32(tag(1, 'bytes')).fork();
    event.uint32(tag(1, 'bytes')).string(name).uint32(tag(2, 'float')).float(value).ldelim();
  }
  return event.ldelim().finish();
};

/** `file_version`, the first event of every file. */
const version = (at: number): Uint8Array =>
  Writer.create()
    .uint32(tag(1, 'double'))
    .double(at / 1_000)
    .uint32(tag(3, 'bytes'))
    .string('brain.Event:2')
    .finish();

/** All numbers of a run as one TensorBoard event file's bytes; `step` counts finished steps. */
export const eventBytes = ({
  run,
  steps,
  evals,
}: Pick<TrainReportData, 'run' | 'steps' | 'evals'>): Buffer => {
  const dev = evals.map(({ step, metrics }) => ({
    step,
    values: Object.fromEntries(
      Object.entries(metrics).flatMap(([mode, own]) =>
        Object.entries(own).map(([name, value]) => [`dev/${mode}/${name}`, value]),
      ),
    ),
  }));
  const atOf = new Map(steps.map(({ step, at }) => [step + 1, at]));
  return Buffer.concat(
    [
      version(run.startedAt),
      ...steps.map(({ step, at, metrics }) => scalars(at, step + 1, metrics)),
      ...dev.map(({ step, values }) => scalars(atOf.get(step) ?? run.startedAt, step, values)),
    ].map(tfRecord),
  );
};

/** Writes the event file, always under the same name, so that TensorBoard never shows a run twice. */
export const writeEvents = async (folder: string, data: TrainReportData): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `events.out.tfevents.${Math.floor(data.run.startedAt / 1_000)}.wideseek`);
  await writeFile(`${file}.part`, eventBytes(data));
  await rename(`${file}.part`, file);
};
