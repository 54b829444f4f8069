import { storable } from './call-rows.ts';
import type { Database } from './database.ts';
import type { ScriptJournalStore } from './ports.ts';

const maxAtOnce = 500;

/** Keeps what scripts are about to change, and what became of it. */
export function createScriptJournalStore(db: Database): ScriptJournalStore {
  return {
    async intend(run, effect) {
      await db.write(async (trx) => {
        await trx
          .insertInto('script_runs')
          .values({
            id: run.id,
            head: storable(run.head),
            process: storable(run.process),
            started_at_ms: run.startedAtMs,
            ended_at_ms: null,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        await trx
          .insertInto('script_effects')
          .values({
            call_id: effect.callId,
            run_id: run.id,
            tool: storable(effect.tool),
            began_at_ms: effect.beganAtMs,
            state: null,
          })
          .execute();
      });
    },

    async settle(callId, state) {
      await db.write((trx) =>
        trx.updateTable('script_effects').set({ state }).where('call_id', '=', callId).execute(),
      );
    },

    async end(runId, endedAtMs) {
      await db.write((trx) =>
        trx.updateTable('script_runs').set({ ended_at_ms: endedAtMs }).where('id', '=', runId).execute(),
      );
    },

    async claim(runId, from, to) {
      const updated = await db.write((trx) =>
        trx
          .updateTable('script_runs')
          .set({ process: to })
          .where('id', '=', runId)
          .where('process', '=', from)
          .executeTakeFirst(),
      );
      return Number(updated.numUpdatedRows) > 0;
    },

    async unended() {
      const rows = await db.reads
        .selectFrom('script_runs')
        .selectAll()
        .where('ended_at_ms', 'is', null)
        .orderBy('started_at_ms')
        .limit(maxAtOnce)
        .execute();
      return rows.map(({ id, head, process, started_at_ms: startedAtMs }) => ({
        id,
        head,
        process,
        startedAtMs,
      }));
    },

    async effectsOf(runId) {
      const rows = await db.reads
        .selectFrom('script_effects')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('began_at_ms')
        .orderBy('call_id')
        .limit(1_000)
        .execute();
      return rows.map(({ call_id: callId, tool, began_at_ms: beganAtMs, state }) => ({
        callId,
        tool,
        beganAtMs,
        state,
      }));
    },

    async removeBefore(startedBeforeMs) {
      await db.write(async (trx) => {
        const old = trx
          .selectFrom('script_runs')
          .select('id')
          .where('started_at_ms', '<', startedBeforeMs)
          .where('ended_at_ms', 'is not', null);
        await trx.deleteFrom('script_effects').where('run_id', 'in', old).execute();
        await trx
          .deleteFrom('script_runs')
          .where('started_at_ms', '<', startedBeforeMs)
          .where('ended_at_ms', 'is not', null)
          .execute();
      });
    },
  };
}
